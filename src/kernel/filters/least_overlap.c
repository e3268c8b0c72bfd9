/*
 * least_overlap.c
 *		Fills the table of least overlaps.
 */
#include "c.h"

#include "kernel/filters/least_overlap.h"

/* Sums from here on have no place in the table: such large records are rare. */
#define GREATEST_SUM (1 << 16)

/* Returns whether α of two sizes follows from their sum. */
static bool
follows_from_sum(Measure measure)
{
	return measure == MEASURE_JACCARD || measure == MEASURE_DICE || measure == MEASURE_HAMMING ||
		   measure == MEASURE_OVERLAP;
}

void
LeastOverlapsInit(LeastOverlaps *overlaps, JoinHost *host, Predicate predicate,
				  uint32 greatest_size)
{
	overlaps->host = host;
	overlaps->predicate = predicate;
	overlaps->by_sum = NULL;
	overlaps->sum_count = 0;
	if (!follows_from_sum(predicate.measure))
		return;
	overlaps->sum_count = Min((uint64) greatest_size * 2 + 1, GREATEST_SUM);
	overlaps->by_sum = JoinAllocateShared(host, overlaps->sum_count, sizeof(int32));

	/* PredicateLeastOverlap tells α exactly where α is no larger than the smaller size. */
	for (uint32 sum = 0; sum < overlaps->sum_count; sum++)
		overlaps->by_sum[sum] = PredicateLeastOverlap(predicate, sum / 2, sum - sum / 2);
}

void
LeastOverlapsFree(LeastOverlaps *overlaps)
{
	JoinRelease(overlaps->host, overlaps->by_sum, overlaps->sum_count, sizeof(int32));
}
