/*
 * sample_join.c
 *		Joins the rows of a sample, or some of them, and estimates the pairs of the whole query.
 *
 * A pair that is found stands for 1 / p pairs of the query, its weight, where p is the probability that a
 * pair is found. If each row is in the sample with probability f, and all rows of the sample are joined, p
 * is f * f: in a sample of a tenth of the rows, a pair stands for 100. If only some of them are joined, p
 * is smaller by their share of the sample's pairs. Where blocks of the table were sampled,
 * two rows of one block come with it, and p has the block's probability only once.
 *
 * How far the estimate may be off, subsamples tell. Each row, or each block if these were sampled, is in
 * one of them at random. A pair counts for the subsamples of both rows: if a row were not in the sample,
 * neither would be its pairs. If few rows have most of the pairs, the sums of the subsamples differ much,
 * and their variance gives the variance of the estimate. What is due to the pairs alone, as if they had no
 * rows in common, is in it twice, and is subtracted once. It also is a lower bound, which the sums can be
 * below by chance. For blocks it is added instead, to have an upper bound, since the pairs between the same
 * two blocks depend on each other, too.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "miscadmin.h"

#include "allocate.h"
#include "join/sample/sample_join.h"

static inline int
subsample_of(const RowSample *sample, uint32 group)
{
	uint32 number =
		sample->of_query.by_block ? murmurhash32(sample->blocks[group]) : sample->draws[group];

	return (int) (number % SUBSAMPLES);
}

/* Takes a pair: adds its weight to the count of its bin and to the sums of its rows' subsamples. */
static uint64
weigh_pair(void *context, const FoundPair *pair)
{
	SampleJoin *join = context;
	const RowSample *sample = join->sample;
	uint32 a = (uint32) JoinKeysInt64(&sample->join.input.keys, pair->a);
	uint32 b = (uint32) JoinKeysInt64(&sample->join.input.keys, pair->b);
	bool in_block = sample->of_query.by_block && sample->blocks[a] == sample->blocks[b];
	double weight = in_block ? join->block_weight : join->weight;

	PairCountsAdd(&join->counts, pair->value, weight);
	join->squares += weight * weight;
	join->subsamples[subsample_of(sample, a)] += weight;
	if (!in_block)
		join->subsamples[subsample_of(sample, b)] += weight;
	return 1;
}

/* Has the rows with the lowest draws take part; returns the roles of all rows, by number of the group. */
static uint8 *
choose_rows(SampleJoin *join)
{
	const RowSample *sample = join->sample;
	const JoinKeys *keys = &sample->join.input.keys;
	uint8 *roles = AllocateArray(sample->rows.group_count, sizeof(uint8));

	memset(roles, JOIN_ABSENT, sample->rows.group_count);
	join->joined = 0;
	for (uint32 row = 0; row < keys->count; row++)
	{
		uint32 group = (uint32) JoinKeysInt64(keys, row);

		CHECK_FOR_INTERRUPTS();
		if (RowSampleDraws(sample->draws[group], join->part * sample->limit))
		{
			roles[group] = JOIN_SEEKS;
			join->joined++;
		}
	}
	return roles;
}

/* Sets what the pairs that are found stand for. */
static void
set_weights(SampleJoin *join)
{
	const RowSample *sample = join->sample;
	double rows = RowSampleCount(sample);
	double there = sample->share * sample->drawn;

	join->counts.all = PairsOfRows(rows / there);
	join->counts.share = there * there;
	if (join->joined < rows)
		join->counts.share *= PairsOfRows(join->joined) / PairsOfRows(rows);
	join->weight = join->counts.share > 0 ? 1 / join->counts.share : 0;
	join->block_weight = join->weight * sample->share;
}

/* Returns the variance of the sum of the counts. */
static double
find_variance(const SampleJoin *join)
{
	const RowSample *sample = join->sample;
	double mean = 0;
	double variance = 0;

	for (int i = 0; i < SUBSAMPLES; i++)
		mean += join->subsamples[i] / SUBSAMPLES;
	for (int i = 0; i < SUBSAMPLES; i++)
		variance += (join->subsamples[i] - mean) * (join->subsamples[i] - mean);
	variance *= (double) SUBSAMPLES / (SUBSAMPLES - 1);
	variance += sample->of_query.by_block ? join->squares : -join->squares;
	return Max(variance, join->squares) * (1 - Min(sample->share * sample->drawn, 1));
}

/* Stops the pass if its time is over. */
static void
check_time(void *context)
{
	SampleJoin *join = context;

	if (SecondsSince(join->begun) > join->seconds)
		join->sample->join.process.host.is_stopped = true;
}

/* Finds the pairs by these roles, and returns false if the time was over. */
static bool
find_in_time(SampleJoin *join, const uint8 *roles, TakePair take)
{
	RowSample *sample = join->sample;
	JoinProcess *process = &sample->join.process;
	bool is_stopped;

	PairDemandByRoles(&sample->request.task.demand, roles, sample->rows.group_count);
	process->receive = check_time;
	process->receive_context = join;
	/* Whether further passes follow is not known, so that the time left is that of the pass. */
	JoinPassesRun(&sample->passes, join->predicate, take, join, true);
	is_stopped = process->host.is_stopped;
	process->host.is_stopped = false;
	process->receive = NULL;
	return !is_stopped;
}

bool
SampleJoinRun(SampleJoin *join)
{
	bool is_exact = RowSampleIsComplete(join->sample) && join->part >= 1;
	bool is_counted = is_exact && join->counts_only;
	uint8 *roles = join->part < 1 ? choose_rows(join) : NULL;
	bool is_in_time;

	INSTR_TIME_SET_CURRENT(join->begun);
	if (roles == NULL)
		join->joined = RowSampleCount(join->sample);
	memset(&join->counts, 0, sizeof(PairCounts));
	memset(join->subsamples, 0, sizeof(join->subsamples));
	join->squares = 0;
	set_weights(join);
	is_in_time = find_in_time(join, roles, is_counted ? NULL : weigh_pair);
	if (is_counted)
		join->counts.pairs[0] = (double) join->sample->join.pair_count;
	join->counts.variance = is_exact ? 0 : find_variance(join);
	if (roles != NULL)
		pfree(roles);
	return is_in_time;
}

double
SampleJoinWeight(const SampleJoin *join)
{
	const RowSample *sample = join->sample;
	double of_block = (double) RowSampleCount(sample) / Max(sample->blocks_seen, 1);

	return join->weight * (sample->of_query.by_block ? Max(of_block, 1) : 1);
}
