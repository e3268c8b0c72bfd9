/*
 * analyze.c
 *		The statistics that ANALYZE collects of a column of token sets.
 *
 * Those of any ordered type but the histogram, which hardly any query would use, and two slots as
 * of arrays, which pg_stats shows:
 *
 *		most_common_elems		tokens in the most sets, ascending
 *		most_common_elem_freqs	fraction of the sets with each; then the least and the
 *								greatest of these; then that of an unlisted token
 *		elem_count_histogram	quantiles of the sizes, then the mean size
 *
 * Tokens are counted by lossy counting (Manku and Motwani, VLDB 2002). After each round, as many
 * tokens as memory has entries for, rare entries are dropped: a count is too small by at most the
 * number of rounds. A HyperLogLog estimates the distinct tokens.
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

#include "compat.h"
#include "sketch/token_hash.h"
#include "tokenset/tokenset.h"

PG_FUNCTION_INFO_V1(tokenset_typanalyze);

#define INT8_EQUAL_OPERATOR 410

/* Listed tokens per unit of the statistics target. */
#define TOKENS_PER_TARGET 10

/* Of larger sets only the sizes count. */
#define LARGEST_SET 65536

/* 2^14 registers: an error of 0.8 %. */
#define HLL_REGISTER_WIDTH 14

typedef struct AnalyzeData
{
	AnalyzeAttrComputeStatsFunc compute;
	void *extra_data;
} AnalyzeData;

typedef struct TokenTally
{
	Token token;
	int32 count;
	int32 rounds; /* before its first occurrence */
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
	int64 tokens;
	int64 round_length; /* in tokens */
	int32 rounds;		/* ended */
	int32 *sizes;
	int sets;		  /* not NULL */
	int sets_counted; /* no larger than LARGEST_SET */
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
	TokensetFreeIfCopy(set, value);
}

static int
by_token(const void *a, const void *b)
{
	const TokenTally *x = *(TokenTally *const *) a;
	const TokenTally *y = *(TokenTally *const *) b;

	return x->token < y->token ? -1 : x->token > y->token;
}

static int
by_count(const void *a, const void *b)
{
	int32 x = (*(TokenTally *const *) a)->count;
	int32 y = (*(TokenTally *const *) b)->count;

	return x > y ? -1 : x < y ? 1 : by_token(a, b);
}

static int
compare_sizes(const void *a, const void *b)
{
	int32 x = *(const int32 *) a;
	int32 y = *(const int32 *) b;

	return x < y ? -1 : x > y;
}

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

/* First free slot, or -1. */
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

/* Mean number of sets with an unlisted token. */
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

		nd_vacuum_delay_point(true);
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
