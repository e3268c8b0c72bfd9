/*
 * bounds.c
 *		The table of least overlaps.
 */
#include "c.h"

#include "join/kernel/bounds.h"

/* Larger records are rare, and a table for them would be larger than the records. */
#define GREATEST_SUM (1 << 16)

static bool
follows_from_sum(Measure measure)
{
	return measure == MEASURE_JACCARD || measure == MEASURE_DICE || measure == MEASURE_HAMMING ||
		   measure == MEASURE_OVERLAP;
}

void
PairBoundsInit(PairBounds *bounds, JoinHost *host, Predicate predicate, uint32 greatest_size)
{
	bounds->host = host;
	bounds->predicate = predicate;
	bounds->by_sum = NULL;
	bounds->sum_count = 0;
	if (!follows_from_sum(predicate.measure))
		return;
	bounds->sum_count = Min((uint64) greatest_size * 2 + 1, GREATEST_SUM);
	bounds->by_sum = JoinAllocateShared(host, bounds->sum_count, sizeof(int32));

	/* Where α is above the smaller size there is no pair; so the sizes that are closest decide. */
	for (uint32 sum = 0; sum < bounds->sum_count; sum++)
		bounds->by_sum[sum] = PredicateLeastOverlap(predicate, sum / 2, sum - sum / 2);
}

void
PairBoundsFree(PairBounds *bounds)
{
	JoinRelease(bounds->host, bounds->by_sum, bounds->sum_count, sizeof(int32));
}
