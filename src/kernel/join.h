/*
 * join.h
 *		What a join is asked for and what it gives: the algorithm, pairs, and counters.
 */
#ifndef NEARDUP_KERNEL_JOIN_H
#define NEARDUP_KERNEL_JOIN_H

#include "kernel/records/records.h"

/* How pairs are found. The first three are the algorithms of the paper. */
typedef enum JoinAlgorithm
{
	JOIN_ALLPAIRS,	  /* with the prefix and the size filter */
	JOIN_PPJOIN,	  /* also with the positional filter; the only one of the three with weights */
	JOIN_PPJOIN_PLUS, /* also with the suffix filter */
	JOIN_AUTO,		  /* list by list, or as JOIN_PPJOIN where that is faster */
	JOIN_BUCKETS,	  /* only pairs that share a key of a bucket, which are not all */
	JOIN_HAMMING,	  /* of 64-bit values, by Hamming distance */
	JOIN_EDIT		  /* of texts, by edit distance */
} JoinAlgorithm;

/*
 * What has become of the pairs that pass the size filter. The list engine meets a pair in the list
 * of each token that the prefixes share, and may count it as pruned in each of them. In short lists
 * it applies the size filter last, so that its pruned_by_bitmap counts other pairs too.
 */
typedef struct JoinCounters
{
	uint64 candidates; /* pairs on entry to Verify (Algorithm 2), or with a common bucket key */
	uint64 pruned_by_position;
	uint64 pruned_by_suffix;
	uint64 pruned_by_bitmap;
} JoinCounters;

static inline void
JoinCountersAdd(JoinCounters *sum, const JoinCounters *counters)
{
	sum->candidates += counters->candidates;
	sum->pruned_by_position += counters->pruned_by_position;
	sum->pruned_by_suffix += counters->pruned_by_suffix;
	sum->pruned_by_bitmap += counters->pruned_by_bitmap;
}

/*
 * Receives each similar pair once, in any order. x is the left record in an R-S join, and the first
 * argument of a directed measure. The overlap is the number of common tokens, in a weighted join
 * the sum of their weights; engines without a measure of sets hand over the distance. It may be 0
 * if the measure has no value (MeasureHasValue).
 */
typedef void (*JoinEmit)(void *context, const JoinRecord *x, const JoinRecord *y, uint64 overlap);

/* Emits all pairs of a record of one range with a record of the other. */
static inline void
JoinEmitRanges(const JoinRecords *records, RecordRange x_range, RecordRange y_range, uint64 overlap,
			   JoinEmit emit, void *emit_context)
{
	for (uint32 i = x_range.first; i < x_range.end && !records->host->is_stopped; i++)
	{
		for (uint32 j = y_range.first; j < y_range.end; j++)
		{
			JoinTick(records->host, 1);
			emit(emit_context, &records->records[i], &records->records[j], overlap);
		}
	}
}

#endif
