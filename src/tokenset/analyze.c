/*
 * analyze.c
 *		The statistics that ANALYZE collects for a column of token sets.
 *
 * A column of sets gets the statistics of any ordered type, except the histogram, which hardly any
 * query would use, and in two further slots statistics of the tokens. PostgreSQL has the same two
 * for arrays, which makes pg_stats show them:
 *
 *		most_common_elems		the tokens that occur in the most sets, ascending
 *		most_common_elem_freqs	the fraction of the sets that have each; then the least and the
 *								greatest of these; then the fraction of a token that is not listed
 *		elem_count_histogram	quantiles of the sizes, then the mean size
 *
 * A third slot has the families of near-duplicate sets (set_families.c). Selectivity, and the choice
 * of tokens that an index scan looks up, rest on them (similar_share.c, lookups.c).
 *
 * A sample may have more distinct tokens than there is memory for, most of which occur once. Lossy
 * counting (Manku and Motwani, Approximate Frequency Counts over Data Streams, VLDB 2002) finds the
 * frequent ones in one pass. The stream of tokens is divided into rounds. A token gets an entry
 * with a count when it comes, and the entry remembers how many rounds had ended before. After each
 * round, every entry is dropped whose count and that number together are no more than the number of
 * rounds: even if all its earlier occurrences were lost, the token has come about once a round at
 * most. So a count is too small by at most the number of rounds, and tokens that are more frequent
 * than that are never missing. A round has as many tokens as memory has room for entries.
 *
 * How many distinct tokens there are in all, which the frequency of an unlisted token needs, a
 * HyperLogLog estimates, unless none was dropped.
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
#include "tokenset/set_families.h"
#include "tokenset/tokenset.h"

PG_FUNCTION_INFO_V1(tokenset_typanalyze);

/* The operator int8 = int8, as pg_operator.dat numbers it. */
#define INT8_EQUAL_OPERATOR 410

/* Tokens that are listed for each unit of the statistics target. */
#define TOKENS_PER_TARGET 10

/* Families that are kept for each unit of the statistics target. */
#define FAMILIES_PER_TARGET 10

/*
 * The most tokens of a set that is counted. Of a larger set, only the size enters the statistics.
 */
#define LARGEST_SET 65536

/* The HyperLogLog has 2^14 registers, for an error below one percent. */
#define HLL_REGISTER_WIDTH 14

/* The standard statistics' function and data, which ours replace and call. */
typedef struct AnalyzeData
{
	AnalyzeAttrComputeStatsFunc compute;
	void *extra_data;
} AnalyzeData;

/* An entry of lossy counting. */
typedef struct TokenTally
{
	Token token;
	int32 count;
	int32 rounds; /* rounds that had ended before the entry was made */
	uint32 status;
} TokenTally;

#define SH_PREFIX tally
#define SH_ELEMENT_TYPE TokenTally
#define SH_KEY token
#include "sketch/token_table.h"

/* Collects what ANALYZE learns of the sets that it reads. */
typedef struct Sample
{
	tally_hash *table;
	hyperLogLogState distinct;
	int64 tokens;		/* counted */
	int64 round_length; /* in tokens */
	int32 rounds;		/* that have ended */
	int32 *sizes;		/* of each set */
	int sets;			/* that are not NULL */
	int sets_counted;	/* sets among these whose tokens were counted */
	FamilySample *families;
} Sample;

/* Drops the entries of rare tokens at the end of a round. */
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

/* Counts an occurrence of a token. Each set has a token once, so counts are numbers of sets. */
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

/* Notes the size of a set and counts its tokens. A large set is not even fetched. */
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
	FamilySampleAdd(sample->families, set);
	TokensetFreeIfCopy(set, value);
}

static int
by_token(const void *a, const void *b)
{
	const TokenTally *x = *(TokenTally *const *) a;
	const TokenTally *y = *(TokenTally *const *) b;

	return x->token < y->token ? -1 : x->token > y->token;
}

/* The most frequent first. */
static int
by_count(const void *a, const void *b)
{
	int32 x = (*(TokenTally *const *) a)->count;
	int32 y = (*(TokenTally *const *) b)->count;

	return x > y ? -1 : x < y ? 1 : by_token(a, b);
}

static int
compare_set_sizes(const void *a, const void *b)
{
	int32 x = *(const int32 *) a;
	int32 y = *(const int32 *) b;

	return x < y ? -1 : x > y;
}

/* Empties the slot of the histogram, which the standard statistics have filled. */
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

/* Returns the first free slot of the statistics, -1 if there is none. */
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

/*
 * Returns the entries that may be listed, in a new array, the most frequent first. A count must be
 * more than twice its possible error, and at least 2.
 */
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

/* Returns in how many sets a token that is not listed occurs on average. */
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

/* Fills a slot with the listed tokens and their frequencies. Changes the order of the entries. */
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

/* Fills a slot with quantiles of the sizes, as many as the statistics target, and the mean. */
static void
store_sizes(VacAttrStats *stats, Sample *sample)
{
	int slot = free_slot(stats);
	int quantiles = Min(Max(statistics_target(stats), 2), sample->sets);
	double sum = 0;
	float4 *numbers;

	if (slot < 0 || sample->sets < 2)
		return;
	qsort(sample->sizes, sample->sets, sizeof(int32), compare_set_sizes);
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

/* Fills a slot with the families. */
static void
store_families(VacAttrStats *stats, Sample *sample)
{
	int slot = free_slot(stats);
	SetFamilies *families;
	MemoryContext old;

	if (slot < 0)
		return;
	old = MemoryContextSwitchTo(stats->anl_context);
	families = FamilySampleResult(sample->families, statistics_target(stats) * FAMILIES_PER_TARGET);
	stats->stavalues[slot] = palloc(sizeof(Datum));
	stats->stavalues[slot][0] = PointerGetDatum(families);
	MemoryContextSwitchTo(old);

	stats->stakind[slot] = STATISTIC_KIND_SET_FAMILIES;
	stats->staop[slot] = InvalidOid;
	stats->stacoll[slot] = InvalidOid;
	stats->numvalues[slot] = 1;
	stats->statypid[slot] = BYTEAOID;
	stats->statyplen[slot] = -1;
	stats->statypbyval[slot] = false;
	stats->statypalign[slot] = TYPALIGN_INT;
}

/*
 * Computes the statistics of a column; ANALYZE calls it with the sampled rows. The standard
 * function runs first, which expects its own extra_data.
 */
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
	sample.families = FamilySampleBegin(rows);
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
	store_families(stats, &sample);
}

/* Has ANALYZE call compute_tokenset_stats; false if the column is not to be analyzed. */
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
