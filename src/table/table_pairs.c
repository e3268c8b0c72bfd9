/*
 * table_pairs.c
 *		Counts the pairs of a table by their similarity, at bounded work.
 *
 * A table of n rows of one template has n²/2 similar pairs, and a low threshold has most rows meet
 * each other. So a few rows are joined with each other first, and the pairs that meet show how much work a
 * pair makes. Then as many rows are joined as the work allows, all of a small table. Of a tenth of the rows
 * a hundredth of the pairs are found, by an index of a tenth of the rows. Very similar pairs, which may be
 * few, are then counted all, by a join of all rows at a high threshold.
 *
 * Equal sets are counted once: they are copies, and chance makes no copies. The hash of a set tells
 * whether it is read and when it is joined, so that the counts do not depend on the order of rows.
 */
#include "postgres.h"

#include <math.h>

#include "measure/threshold.h"
#include "table/table_pairs.h"

/* So many pairs of rows are joined first. */
#define FIRST_PAIRS 500000

/*
 * The work of a pass: tokens of pairs that may meet. It grows with the tokens that are read, so that
 * it does not take much longer than reading them.
 */
#define WORK_PER_TOKEN 4
#define LEAST_WORK 64000000

/* From so many pairs on, enough is known of the less similar ones. */
#define MOST_SAMPLED 50000.0

/* So many pairs that are pruned by their positions, or bitmaps, are as much work as one that is not. */
#define POSITIONS_PER_CANDIDATE 16
#define BITMAPS_PER_CANDIDATE 512

/* All pairs from this bin on are counted, or from a higher one if there are more of them. */
#define WHOLE_BIN 24
#define MOST_PAIRS 100000

/*
 * There may be this part more very similar pairs than a part of the rows has shown, and so many as
 * if LEAST_MISSED more had been found.
 */
#define PART_MISSED 0.5
#define LEAST_MISSED 10

static double
work_of(const JoinCounters *counters)
{
	return (double) (counters->candidates + counters->pruned_by_suffix) +
		   (double) counters->pruned_by_position / POSITIONS_PER_CANDIDATE +
		   (double) counters->pruned_by_bitmap / BITMAPS_PER_CANDIDATE;
}

/* Counts the pairs of this part of the rows; returns how much work a pair of them made on average. */
static double
count_part(TablePairs *pairs, Predicate predicate, double part)
{
	const JoinCounters *counters = &pairs->sample.join.counters;
	double before = work_of(counters);

	pairs->join = (SampleJoin){
		.sample = &pairs->sample, .predicate = predicate, .part = part, .seconds = INFINITY};
	(void) SampleJoinRun(&pairs->join);
	return (work_of(counters) - before) / Max(PairsOfRows(pairs->join.joined), 1);
}

/* Returns the first bin, from WHOLE_BIN on, from which on there are not too many pairs. */
static int
first_whole_bin(const PairCounts *counts)
{
	double pairs = 0;
	int bin = BINS;

	while (bin > WHOLE_BIN && pairs + counts->pairs[bin - 1] <= MOST_PAIRS)
		pairs += counts->pairs[--bin];
	return bin;
}

/* Returns the part of the rows that may be joined, by what the first ones did. */
static double
part_allowed(const TablePairs *pairs, double work_of_pair)
{
	const RowSample *sample = &pairs->sample;
	double rows = RowSampleCount(sample);
	double tokens = (double) sample->join.token_count;
	double work = work_of_pair * PairsOfRows(rows) * tokens / Max(rows, 1);
	/* Of the rows that are read. */
	double found = PairCountsSum(&pairs->join.counts) * sample->drawn * sample->drawn;

	return sqrt(
		Min(Max(LEAST_WORK, WORK_PER_TOKEN * tokens) / Max(work, 1), MOST_SAMPLED / Max(found, 1)));
}

void
TablePairsBegin(TablePairs *pairs, const JoinRequest *request, const char *sets, double least)
{
	RowSample *sample = &pairs->sample;

	*sample = (RowSample){.request = *request, .is_distinct = true};
	sample->request.task.predicate = PredicateOrError(request->task.predicate.measure, least);
	/* Work is counted in this process. */
	sample->request.task.may_share = false;
	sample->request.queries[0] = sets;
	RowSampleRead(sample);
}

const PairCounts *
TablePairsCount(TablePairs *pairs, int first_bin)
{
	Measure measure = pairs->sample.request.task.predicate.measure;
	Predicate predicate = PredicateOrError(measure, PairBinStart(first_bin));
	double first = sqrt(FIRST_PAIRS / Max(PairsOfRows(RowSampleCount(&pairs->sample)), 1));
	double part = part_allowed(pairs, count_part(pairs, predicate, first));

	if (first < 1 && part > first)
		(void) count_part(pairs, predicate, part);
	return &pairs->join.counts;
}

PairCounts
TablePairsAtMost(const TablePairs *pairs)
{
	PairCounts most = pairs->join.counts;

	for (int bin = WHOLE_BIN; bin < BINS; bin++)
		most.pairs[BINS - 1] += PART_MISSED * pairs->join.counts.pairs[bin];
	most.pairs[BINS - 1] += LEAST_MISSED * pairs->join.weight;
	return most;
}

void
TablePairsCompleteSimilar(TablePairs *pairs)
{
	SampleJoin *join = &pairs->join;
	Measure measure = pairs->sample.request.task.predicate.measure;
	int first = first_whole_bin(&join->counts);
	PairCounts estimated = join->counts;

	if (join->part >= 1 || first == BINS)
		return;
	(void) count_part(pairs, PredicateOrError(measure, PairBinStart(first)), 1);
	memcpy(estimated.pairs + first, join->counts.pairs + first, (BINS - first) * sizeof(double));
	join->counts = estimated;
}

void
TablePairsEnd(TablePairs *pairs)
{
	RowSampleEnd(&pairs->sample);
}
