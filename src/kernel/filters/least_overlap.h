/*
 * least_overlap.h
 *		α: the least overlap with which sets of two sizes are similar.
 *
 * Under most measures α follows from |x| + |y|, by a table.
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
	uint32 sum_count; /* smaller sums are in the table */
} LeastOverlaps;

extern void LeastOverlapsInit(LeastOverlaps *overlaps, JoinHost *host, Predicate predicate,
							  uint32 greatest_size);
extern void LeastOverlapsFree(LeastOverlaps *overlaps);

static inline int64
LeastOverlap(const LeastOverlaps *overlaps, int64 a, int64 b)
{
	if (likely(a + b < overlaps->sum_count))
		return overlaps->by_sum[a + b];
	return PredicateLeastOverlap(overlaps->predicate, a, b);
}

#endif
