/*
 * size_filter.h
 *		The size filter: drops pairs of sets whose sizes differ too much.
 *
 * The overlap of two sets is at most the smaller size, so sets of very different sizes are not
 * similar (equation 3). Under Jaccard, sets similar to one of size a have sizes from t a to a / t.
 * Canonical records are in the order of their sizes: those that a record x may be similar to, among
 * the records before it, are a range of record numbers that ends at x. It begins at the size filter
 * start.
 *
 * Positions tell more. Let the first common token be at position i of x, from 0. Then x has |x| - i
 * tokens left for the overlap, and α must not exceed them. α grows with |y|, so y must not be too
 * large: the size filter end of a position is the first record that is. It holds for both records of
 * a pair. Beyond the indexing prefix of x, which is made for sets of x's own size, the range ends
 * before x. Within the indexing prefix of y, the end tells how long larger records x look for y.
 */
#ifndef NEARDUP_KERNEL_SIZE_FILTER_H
#define NEARDUP_KERNEL_SIZE_FILTER_H

#include "kernel/filters/least_overlap.h"
#include "kernel/records/records.h"

/* Returns the first record that is not too small to be similar to a set of this size on the left. */
static inline uint32
SizeFilterStart(const JoinRecords *records, Predicate predicate, uint32 size)
{
	return JoinRecordsLowerBound(records, PredicateLeastSize(predicate, size, false));
}

/* The ends by size class, and by position in the probing prefix. */
typedef struct SizeFilterEnds
{
	uint32 *ends;
	uint64 *origins; /* one for each size class: the end of a position is ends[origin + position] */
	uint64 count;
} SizeFilterEnds;

/* Computes the ends, in shared memory, for a measure that is not directed. */
extern void SizeFilterEndsInit(SizeFilterEnds *ends, const JoinRecords *records,
							   const LeastOverlaps *overlaps);
extern void SizeFilterEndsFree(SizeFilterEnds *ends, const JoinRecords *records);

/*
 * Returns the first record that is too large for a pair whose first common token has this position
 * in a record of this class.
 */
static inline uint32
SizeFilterEnd(const SizeFilterEnds *ends, uint32 size_class, uint32 position)
{
	return ends->ends[ends->origins[size_class] + position];
}

#endif
