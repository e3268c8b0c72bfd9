/*
 * analyze.c
 *		What ANALYZE collects of a column of token sets.
 *
 * Beside the statistics of any type that has an order (the most common sets, the
 * correlation) two slots of pg_statistic, of the kinds that
 * arrays have too, so that pg_stats shows them:
 *
 *		most_common_elems		the tokens that are in the most sets, ascending
 *		most_common_elem_freqs	the fraction of the sets that has each; then
 *								the least and the greatest of these, and the
 *								average for a token that is not listed (where
 *								arrays have the fraction with NULL elements)
 *		elem_count_histogram	quantiles of the sizes, then their average
 *
 * There is no histogram: hardly a query asks for the sets before or after another one, and
 * each session would read some hundred of them to plan its first query of the column.
 *
 * Tokens are counted by lossy counting (Manku and Motwani, VLDB 2002): when as
 * many tokens have gone by as memory holds entries, those with few
 * occurrences since they were first seen are dropped. A count is too small by
 * at most the number of such rounds. Samples that fit in maintenance_work_mem
 * are counted exactly. How many distinct tokens there were, dropped ones
 * included, is estimated by a HyperLogLog.
 */
#include "postgres.h"

#include <math.h>

#include "access/detoast.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "commands/vacuum.h"
#include "fmgr.h"
#include "lib/hyperloglog.h"
#include "miscadmin.h"

#include "tokenset/token_hash.h"
#include "tokenset/tokenset.h"

PG_FUNCTION_INFO_V1(tokenset_typanalyze);

#if PG_VERSION_NUM >= 180000
#define nd_vacuum_delay_point() vacuum_delay_point(true)
#else
#define nd_vacuum_delay_point() vacuum_delay_point()
#endif

/* The = operator of int8. */
#define INT8_EQUAL_OPERATOR 410

/* How many tokens are listed, for each unit of the statistics target; as for arrays. */
#define TOKENS_PER_TARGET 10

/* Larger sets are not looked into; their sizes count. */
#define LARGEST_SET 65536

/* 2^14 registers: an error of 0.8 %. */
#define HLL_REGISTER_WIDTH 14

/* What the analysis of any ordered type wants to have back. */
typedef struct AnalyzeData
{
	AnalyzeAttrComputeStatsFunc compute;
	void *extra_data;
} AnalyzeData;

typedef struct TokenTally
{
	Token token;
	int32 count;
	int32 rounds; /* rounds that had ended when it was first seen: what it may have missed */
	uint32 status;
} TokenTally;

#define SH_PREFIX tally
#define SH_ELEMENT_TYPE TokenTally
#define SH_KEY_TYPE Token
#define SH_KEY token
#define SH_HASH_KEY(table, key) ((uint32) TokenHash(key, 0))
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

typedef struct Sample
{
	tally_hash *table;
	hyperLogLogState distinct;
	int64 tokens;		/* seen in all */
	int64 round_length; /* tokens to a round */
	int32 rounds;		/* that have ended */
	int32 *sizes;		/* of the sets that are not NULL */
	int sets;
	int sets_counted; /* whose tokens were counted */
} Sample;

static void
drop_rare(Sample *sample)
{
	tally_iterator iterator;
	TokenTally *entry;

	tally_start_iterate(sample->table, &iterator);
	while ((entry = tally_iterate(sample->table, &iterator)) != NULL)
	{
		if (entry->count + entry->rounds <= sample->rounds)
			tally_delete_item(sample->table, entry);
	}
}

static void
count_token(Sample *sample, Token token)
{
	bool found;
	TokenTally *entry = tally_insert(sample->table, token, &found);

	if (!found)
	{
		entry->count = 0;
		entry->rounds = sample->rounds;
		addHyperLogLog(&sample->distinct, (uint32) TokenHash(token, 0));
	}
	entry->count++;
	if (++sample->tokens % sample->round_length == 0)
	{
		sample->rounds++;
		drop_rare(sample);
	}
}

static void
count_set(Sample *sample, Datum value)
{
	int32 size = TokensetDatumCount(value);
	Tokenset *set;

	sample->sizes[sample->sets++] = size;
	if (size > LARGEST_SET)
		return;
	set = DatumGetTokenset(value);
	for (int32 i = 0; i < size; i++)
		count_token(sample, set->tokens[i]);
	sample->sets_counted++;
	if ((Pointer) set != DatumGetPointer(value))
		pfree(set);
}

static int
by_count(const void *a, const void *b)
{
	const TokenTally *x = *(TokenTally *const *) a;
	const TokenTally *y = *(TokenTally *const *) b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->token < y->token ? -1 : x->token > y->token;
}

static int
by_token(const void *a, const void *b)
{
	const TokenTally *x = *(TokenTally *const *) a;
	const TokenTally *y = *(TokenTally *const *) b;

	return x->token < y->token ? -1 : x->token > y->token;
}

static int
compare_sizes(const void *a, const void *b)
{
	int32 x = *(const int32 *) a;
	int32 y = *(const int32 *) b;

	return x < y ? -1 : x > y;
}

/* Frees the slot of the histogram of whole sets, if there is one. */
static void
drop_histogram(VacAttrStats *stats)
{
	for (int i = 0; i < STATISTIC_NUM_SLOTS; i++)
	{
		if (stats->stakind[i] != STATISTIC_KIND_HISTOGRAM)
			continue;
		stats->stakind[i] = 0;
		stats->staop[i] = InvalidOid;
		stats->stacoll[i] = InvalidOid;
		stats->stavalues[i] = NULL;
		stats->numvalues[i] = 0;
	}
}

/* The first slot that is free, or -1. */
static int
free_slot(VacAttrStats *stats)
{
	for (int i = 0; i < STATISTIC_NUM_SLOTS; i++)
	{
		if (stats->stakind[i] == 0)
			return i;
	}
	return -1;
}

static int
statistics_target(VacAttrStats *stats)
{
#if PG_VERSION_NUM >= 170000
	return stats->attstattarget;
#else
	return stats->attr->attstattarget;
#endif
}

/* The entries that occur often enough to be told from noise, the most frequent first. */
static TokenTally **
frequent_entries(Sample *sample, int *count)
{
	TokenTally **entries =
		palloc_extended(Max(sample->table->members, 1) * sizeof(TokenTally *), MCXT_ALLOC_HUGE);
	int32 least = 2 * sample->rounds + 2;
	tally_iterator iterator;
	TokenTally *entry;
	int found = 0;

	tally_start_iterate(sample->table, &iterator);
	while ((entry = tally_iterate(sample->table, &iterator)) != NULL)
	{
		if (entry->count >= least)
			entries[found++] = entry;
	}
	qsort(entries, found, sizeof(TokenTally *), by_count);
	*count = found;
	return entries;
}

/* Average number of sets that an unlisted token is in. */
static double
rest_count(Sample *sample, TokenTally **listed, int count)
{
	double distinct = sample->rounds == 0 ? (double) sample->table->members
										  : estimateHyperLogLog(&sample->distinct);
	double occurrences = (double) sample->tokens;

	for (int i = 0; i < count; i++)
		occurrences -= listed[i]->count;
	return Max(occurrences, 1) / Max(distinct - count, 1);
}

static void
store_tokens(VacAttrStats *stats, Sample *sample, TokenTally **listed, int count)
{
	int slot = free_slot(stats);
	double sets = sample->sets_counted;
	MemoryContext old;
	Datum *values;
	float4 *numbers;

	if (slot < 0 || count == 0)
		return;
	old = MemoryContextSwitchTo(stats->anl_context);
	values = palloc(count * sizeof(Datum));
	numbers = palloc((count + 3) * sizeof(float4));
	numbers[count] = listed[count - 1]->count / sets;
	numbers[count + 1] = listed[0]->count / sets;
	numbers[count + 2] = rest_count(sample, listed, count) / sets;
	qsort(listed, count, sizeof(TokenTally *), by_token);
	for (int i = 0; i < count; i++)
	{
		values[i] = Int64GetDatum(listed[i]->token);
		numbers[i] = listed[i]->count / sets;
	}
	MemoryContextSwitchTo(old);

	stats->stakind[slot] = STATISTIC_KIND_MCELEM;
	stats->staop[slot] = INT8_EQUAL_OPERATOR;
	stats->stacoll[slot] = InvalidOid;
	stats->stanumbers[slot] = numbers;
	stats->numnumbers[slot] = count + 3;
	stats->stavalues[slot] = values;
	stats->numvalues[slot] = count;
	stats->statypid[slot] = INT8OID;
	stats->statyplen[slot] = sizeof(int64);
	stats->statypbyval[slot] = FLOAT8PASSBYVAL;
	stats->statypalign[slot] = TYPALIGN_DOUBLE;
}

static void
store_sizes(VacAttrStats *stats, Sample *sample)
{
	int slot = free_slot(stats);
	int quantiles = Min(Max(statistics_target(stats), 2), sample->sets);
	double sum = 0;
	float4 *numbers;

	if (slot < 0 || sample->sets < 2)
		return;
	qsort(sample->sizes, sample->sets, sizeof(int32), compare_sizes);
	for (int i = 0; i < sample->sets; i++)
		sum += sample->sizes[i];
	numbers = MemoryContextAlloc(stats->anl_context, (quantiles + 1) * sizeof(float4));
	for (int i = 0; i < quantiles; i++)
		numbers[i] = (float4) sample->sizes[(int64) i * (sample->sets - 1) / (quantiles - 1)];
	numbers[quantiles] = sum / sample->sets;

	stats->stakind[slot] = STATISTIC_KIND_DECHIST;
	stats->staop[slot] = INT8_EQUAL_OPERATOR;
	stats->stacoll[slot] = InvalidOid;
	stats->stanumbers[slot] = numbers;
	stats->numnumbers[slot] = quantiles + 1;
}

/* Runs in a context that goes when the column has been analyzed. */
static void
compute_tokenset_stats(VacAttrStats *stats, AnalyzeAttrFetchFunc fetch, int rows, double total_rows)
{
	AnalyzeData *data = stats->extra_data;
	Sample sample = {.sets = 0};
	TokenTally **listed;
	int count;

	stats->extra_data = data->extra_data;
	data->compute(stats, fetch, rows, total_rows);
	stats->extra_data = data;
	drop_histogram(stats);

	sample.table = tally_create(CurrentMemoryContext, 1024, NULL);
	sample.sizes = palloc_extended(Max(rows, 1) * sizeof(int32), MCXT_ALLOC_HUGE);
	sample.round_length =
		Max((int64) maintenance_work_mem * 1024 / (int64) (4 * sizeof(TokenTally)), 1024);
	initHyperLogLog(&sample.distinct, HLL_REGISTER_WIDTH);
	for (int i = 0; i < rows; i++)
	{
		bool is_null;
		Datum value = fetch(stats, i, &is_null);

		nd_vacuum_delay_point();
		if (!is_null)
			count_set(&sample, value);
	}
	if (sample.sets == 0)
		return;
	listed = frequent_entries(&sample, &count);
	store_tokens(stats, &sample, listed, Min(count, statistics_target(stats) * TOKENS_PER_TARGET));
	store_sizes(stats, &sample);
}

Datum
tokenset_typanalyze(PG_FUNCTION_ARGS)
{
	VacAttrStats *stats = (VacAttrStats *) PG_GETARG_POINTER(0);
	AnalyzeData *data;

	if (!std_typanalyze(stats))
		PG_RETURN_BOOL(false);
	data = palloc(sizeof(AnalyzeData));
	data->compute = stats->compute_stats;
	data->extra_data = stats->extra_data;
	stats->compute_stats = compute_tokenset_stats;
	stats->extra_data = data;
	PG_RETURN_BOOL(true);
}
