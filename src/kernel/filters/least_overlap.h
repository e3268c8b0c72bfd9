/*
 * least_overlap.h
 *		Looks up α, the least overlap with which sets of two sizes are similar.
 *
 * Equation 1 of the paper gives α for Jaccard as t / (1 + t) * (|x| + |y|), rounded up; here it is
 * the least integer for which the predicate holds in double precision. Engines need α for each pair
 * that meets. Under most measures it follows from |x| + |y|, so a table by this sum replaces the
 * computation.
 */
#ifndef NEARDUP_KERNEL_LEAST_OVERLAP_H
#define NEARDUP_KERNEL_LEAST_OVERLAP_H

#include "kernel/host.h"
#include "measure/measure.h"

typedef struct LeastOverlaps
{
	JoinHost *host;
	Predicate predicate;
	int32 *by_sum;
	uint32 sum_count; /* sums below this are in the table */
} LeastOverlaps;

/* Fills the table, in shared memory, for records of at most this size. */
extern void LeastOverlapsInit(LeastOverlaps *overlaps, JoinHost *host, Predicate predicate,
							  uint32 greatest_size);
extern void LeastOverlapsFree(LeastOverlaps *overlaps);

/*
 * Returns α for sets of sizes a and b. It is at most 0 where they need no common token, and above
 * Min(a, b) where they cannot be similar.
 */
static inline int64
LeastOverlap(const LeastOverlaps *overlaps, int64 a, int64 b)
{
	if (likely(a + b < overlaps->sum_count))
		return overlaps->by_sum[a + b];
	return PredicateLeastOverlap(overlaps->predicate, a, b);
}

#endif
