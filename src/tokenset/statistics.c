/*
 * statistics.c
 *		Reader of the statistics that analyze.c writes.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"

#include "bisect.h"
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

/* Columns whose families are kept. */
#define KEPT_COLUMNS 4

typedef struct KeptFamilies
{
	ItemPointerData place; /* of the row of pg_statistic that they are from */
	TransactionId inserted_by;
	SetFamilies *families; /* NULL if the row has none */
} KeptFamilies;

void
SetStatisticsReadTokens(SetStatistics *stats, HeapTuple row)
{
	if (get_attstatsslot(&stats->tokens, row, STATISTIC_KIND_MCELEM, InvalidOid,
						 ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS) &&
		stats->tokens.nnumbers == stats->tokens.nvalues + FREQUENCY_EXTRAS)
		stats->rest_frequency = stats->tokens.numbers[stats->tokens.nnumbers - 1];
}

void
SetStatisticsOpen(SetStatistics *stats, VariableStatData *variable, Oid function)
{
	HeapTuple tuple = variable->statsTuple;

	memset(stats, 0, sizeof(SetStatistics));
	stats->rows = variable->rel == NULL ? DEFAULT_ROWS : Max(variable->rel->tuples, 1);
	stats->average_size = DEFAULT_SIZE;
	stats->rest_frequency = Max(DEFAULT_FREQUENCY, 1 / stats->rows);
	if (!HeapTupleIsValid(tuple))
		return;
	stats->null_fraction = ((Form_pg_statistic) GETSTRUCT(tuple))->stanullfrac;
	if (!statistic_proc_security_check(variable, function))
		return;
	if (get_attstatsslot(&stats->sizes, tuple, STATISTIC_KIND_DECHIST, InvalidOid,
						 ATTSTATSSLOT_NUMBERS) &&
		stats->sizes.nnumbers >= 3)
		stats->average_size = stats->sizes.numbers[stats->sizes.nnumbers - 1];
	/* Where no token is frequent, ANALYZE lists none: most are of one row. */
	if (SetStatisticsAreKnown(stats))
		stats->rest_frequency = 1 / stats->rows;
	SetStatisticsReadTokens(stats, tuple);
	get_attstatsslot(&stats->sets, tuple, STATISTIC_KIND_MCV, InvalidOid,
					 ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS);
	stats->row = tuple;
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

/*
 * The families of some columns are kept, since to fetch and decompress them takes longer than all
 * else that the planner does for a simple query. A row of pg_statistic is never changed in place, so
 * its place and its inserting transaction tell whether it is the same. Statistics of expressions
 * that are not in such a row have no place.
 */
const SetFamilies *
SetStatisticsFamilies(const SetStatistics *stats)
{
	static KeptFamilies kept[KEPT_COLUMNS];
	static int next = 0;
	KeptFamilies *entry;
	TransactionId inserted_by;
	MemoryContext previous;

	if (stats->row == NULL)
		return NULL;
	if (!ItemPointerIsValid(&stats->row->t_self))
		return copy_families(stats->row);
	inserted_by = HeapTupleHeaderGetRawXmin(stats->row->t_data);
	for (int i = 0; i < KEPT_COLUMNS; i++)
	{
		if (kept[i].inserted_by == inserted_by &&
			ItemPointerEquals(&kept[i].place, &stats->row->t_self))
			return kept[i].families;
	}
	entry = &kept[next];
	next = (next + 1) % KEPT_COLUMNS;
	entry->inserted_by = InvalidTransactionId;
	if (entry->families != NULL)
		pfree(entry->families);
	entry->families = NULL;
	previous = MemoryContextSwitchTo(CacheMemoryContext);
	entry->families = copy_families(stats->row);
	MemoryContextSwitchTo(previous);
	entry->place = stats->row->t_self;
	entry->inserted_by = inserted_by;
	return entry->families;
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
