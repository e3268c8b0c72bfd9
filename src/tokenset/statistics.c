/*
 * statistics.c
 *		Reader of the statistics that analyze.c writes.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"

#include "bisect.h"
#include "statistics_row.h"
#include "tokenset/statistics.h"

/* What is assumed without statistics: the words of a paragraph, most of which are rare. */
#define DEFAULT_SIZE 50
#define DEFAULT_FREQUENCY 0.001
#define DEFAULT_ROWS 1000

/*
 * Numbers behind the frequencies of the tokens: the least frequency, the greatest one, and the
 * frequency of unlisted tokens.
 */
#define FREQUENCY_EXTRAS 3

/* Columns of which something is kept. */
#define KEPT_COLUMNS 8

/*
 * What is kept of a column, since to fetch and decompress it takes longer than all else that the planner
 * does for a simple query, and for a join it is asked for each order of the tables.
 */
typedef struct KeptColumn
{
	StatisticsRow row;
	double average_size;
	bool has_families;	   /* they are read */
	SetFamilies *families; /* NULL if the row has none */
} KeptColumn;

void
SetStatisticsReadTokens(SetStatistics *stats, HeapTuple row)
{
	if (get_attstatsslot(&stats->tokens, row, STATISTIC_KIND_MCELEM, InvalidOid,
						 ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS) &&
		stats->tokens.nnumbers == stats->tokens.nvalues + FREQUENCY_EXTRAS)
		stats->rest_frequency = stats->tokens.numbers[stats->tokens.nnumbers - 1];
}

/* Returns the mean size that a row of pg_statistic has, a default if it has none. */
static double
average_size(HeapTuple row)
{
	AttStatsSlot sizes;
	double average = DEFAULT_SIZE;

	if (get_attstatsslot(&sizes, row, STATISTIC_KIND_DECHIST, InvalidOid, ATTSTATSSLOT_NUMBERS))
	{
		if (sizes.nnumbers >= 3)
			average = sizes.numbers[sizes.nnumbers - 1];
		free_attstatsslot(&sizes);
	}
	return average;
}

/* Returns what is kept of a row of pg_statistic; NULL if it has no place. */
static KeptColumn *
kept_column(HeapTuple tuple)
{
	static KeptColumn kept[KEPT_COLUMNS];
	static int next = 0;
	StatisticsRow row = StatisticsRowOf(tuple);
	KeptColumn *column = &kept[next];

	if (!StatisticsRowExists(&row))
		return NULL;
	for (int i = 0; i < KEPT_COLUMNS; i++)
	{
		if (StatisticsRowIsSame(&kept[i].row, &row))
			return &kept[i];
	}
	next = (next + 1) % KEPT_COLUMNS;
	if (column->families != NULL)
		pfree(column->families);
	*column = (KeptColumn){.row.inserted_by = InvalidTransactionId};
	column->average_size = average_size(tuple);
	column->row = row;
	return column;
}

void
SetStatisticsOpen(SetStatistics *stats, VariableStatData *variable, Oid function)
{
	HeapTuple tuple = variable->statsTuple;
	const KeptColumn *kept;

	memset(stats, 0, sizeof(SetStatistics));
	stats->rows = variable->rel == NULL ? DEFAULT_ROWS : Max(variable->rel->tuples, 1);
	stats->average_size = DEFAULT_SIZE;
	stats->rest_frequency = Max(DEFAULT_FREQUENCY, 1 / stats->rows);
	if (!HeapTupleIsValid(tuple))
		return;
	stats->null_fraction = ((Form_pg_statistic) GETSTRUCT(tuple))->stanullfrac;
	if (!statistic_proc_security_check(variable, function))
		return;
	stats->row = tuple;
	kept = kept_column(tuple);
	stats->average_size = kept != NULL ? kept->average_size : average_size(tuple);
}

void
SetStatisticsRead(SetStatistics *stats)
{
	if (stats->is_read || stats->row == NULL)
		return;
	stats->is_read = true;
	get_attstatsslot(&stats->sizes, stats->row, STATISTIC_KIND_DECHIST, InvalidOid,
					 ATTSTATSSLOT_NUMBERS);
	/* Where no token is frequent, ANALYZE lists none: most are of one row. */
	if (SetStatisticsAreKnown(stats))
		stats->rest_frequency = 1 / stats->rows;
	SetStatisticsReadTokens(stats, stats->row);
	get_attstatsslot(&stats->sets, stats->row, STATISTIC_KIND_MCV, InvalidOid,
					 ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS);
}

/* Returns a copy of the families in a row of pg_statistic, in the current context; NULL if none. */
static SetFamilies *
copy_families(HeapTuple row)
{
	AttStatsSlot slot;
	SetFamilies *families = NULL;

	if (!get_attstatsslot(&slot, row, STATISTIC_KIND_SET_FAMILIES, InvalidOid, ATTSTATSSLOT_VALUES))
		return NULL;
	if (slot.nvalues == 1 && slot.valuetype == BYTEAOID)
		families = (SetFamilies *) DatumGetByteaPCopy(slot.values[0]);
	free_attstatsslot(&slot);
	return families != NULL && SetFamiliesAreComplete(families) ? families : NULL;
}

const SetFamilies *
SetStatisticsFamilies(const SetStatistics *stats)
{
	KeptColumn *kept = stats->row == NULL ? NULL : kept_column(stats->row);
	MemoryContext previous;

	if (stats->row == NULL)
		return NULL;
	if (kept == NULL)
		return copy_families(stats->row);
	if (!kept->has_families)
	{
		previous = MemoryContextSwitchTo(CacheMemoryContext);
		kept->families = copy_families(stats->row);
		MemoryContextSwitchTo(previous);
		kept->has_families = true;
	}
	return kept->families;
}

void
SetStatisticsClose(SetStatistics *stats)
{
	free_attstatsslot(&stats->tokens);
	free_attstatsslot(&stats->sizes);
	free_attstatsslot(&stats->sets);
}

double
TokenFrequency(const SetStatistics *stats, Token token)
{
	const AttStatsSlot *tokens = &stats->tokens;
	int place = 0;

	if (tokens->nnumbers != tokens->nvalues + FREQUENCY_EXTRAS)
		return stats->rest_frequency;
	BISECT(int, place, tokens->nvalues, at, DatumGetInt64(tokens->values[at]) < token);
	if (place == tokens->nvalues || DatumGetInt64(tokens->values[place]) != token)
		return stats->rest_frequency;
	return tokens->numbers[place];
}

/* Returns the fraction of sets that have at most `size` tokens, interpolated between quantiles. */
static double
fraction_up_to(const SetStatistics *stats, double size)
{
	int quantiles = stats->sizes.nnumbers - 1;
	const float4 *quantile = stats->sizes.numbers;
	int i = 0;

	if (size < quantile[0])
		return 0;
	if (size >= quantile[quantiles - 1])
		return 1;
	while (quantile[i + 1] <= size)
		i++;
	return (i + (size - quantile[i] + 1) / (quantile[i + 1] - quantile[i] + 1)) / (quantiles - 1);
}

double
SizeFraction(const SetStatistics *stats, double least, double greatest)
{
	if (stats->sizes.nnumbers < 3)
		return 1;
	return Max(fraction_up_to(stats, greatest) - fraction_up_to(stats, least - 1), 0);
}

double
SizeOfClass(const SetStatistics *stats, int class, int classes)
{
	int quantiles = stats->sizes.nnumbers - 1;

	if (quantiles < 2)
		return stats->average_size;
	return stats->sizes.numbers[(int) ((class + 0.5) / classes * (quantiles - 1) + 0.5)];
}
