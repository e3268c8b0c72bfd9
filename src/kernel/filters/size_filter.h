/*
 * size_filter.h
 *		The size filter: sets of very different sizes are not similar.
 *
 * The overlap is at most the smaller size. Under Jaccard, sizes similar to a are t a to a / t. The
 * filter is a window of the sorted records, up to x.
 */
#ifndef NEARDUP_KERNEL_SIZE_FILTER_H
#define NEARDUP_KERNEL_SIZE_FILTER_H

#include "kernel/filters/least_overlap.h"
#include "kernel/records/records.h"

/* Earlier records are too small. */
static inline uint32
SizeFilterStart(const JoinRecords *records, Predicate predicate, uint32 size)
{
	return JoinRecordsLowerBound(records, PredicateLeastSize(predicate, size));
}

/* Ends for a first common token beyond the indexing prefix. */
typedef struct SizeFilterEnds
{
	uint32 *ends;
	int64 *origins; /* by size class: ends[origin + position] */
	uint64 count;
} SizeFilterEnds;

/* For symmetric measures. */
extern void SizeFilterEndsInit(SizeFilterEnds *ends, const JoinRecords *records,
							   const LeastOverlaps *overlaps);
extern void SizeFilterEndsFree(SizeFilterEnds *ends, const JoinRecords *records);

/* Records from there on are too large. */
static inline uint32
SizeFilterEnd(const SizeFilterEnds *ends, uint32 size_class, uint32 position)
{
	return ends->ends[ends->origins[size_class] + position];
}

#endif
