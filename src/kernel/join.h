/*
 * join.h
 *		What a join gets and gives: the algorithm, similar pairs, and what the filters pruned.
 */
#ifndef NEARDUP_KERNEL_JOIN_H
#define NEARDUP_KERNEL_JOIN_H

#include "kernel/records/records.h"

/* The first three are the paper's. */
typedef enum JoinAlgorithm
{
	JOIN_ALLPAIRS,	  /* prefix and size filter */
	JOIN_PPJOIN,	  /* and positional filter */
	JOIN_PPJOIN_PLUS, /* and suffix filter */
	JOIN_AUTO,		  /* list by list, or JOIN_PPJOIN */
	JOIN_BUCKETS,	  /* records that share a key; not all pairs */
	JOIN_HAMMING,	  /* 64-bit values */
	JOIN_EDIT		  /* texts */
} JoinAlgorithm;

/* Pairs that pass the size filter. The list engine counts a pruned pair in each list. */
typedef struct JoinCounters
{
	uint64 candidates; /* on entry to Verify (Algorithm 2), or with a common bucket key */
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
 * Receives each similar pair once, in any order. x is on the left in an R-S join and under an
 * asymmetric measure. SizeJoin's overlap is 0 if the measure has no value; that of a weighted join
 * is a sum of weights.
 */
typedef void (*JoinEmit)(void *context, const JoinRecord *x, const JoinRecord *y, uint64 overlap);

static inline void
JoinEmitRanges(const JoinRecords *records, RecordRange x_range, RecordRange y_range, uint64 overlap,
			   JoinEmit emit, void *emit_context)
{
	for (uint32 i = x_range.first; i < x_range.end; i++)
	{
		for (uint32 j = y_range.first; j < y_range.end; j++)
		{
			JoinTick(records->host, 1);
			emit(emit_context, &records->records[i], &records->records[j], overlap);
		}
	}
}

#endif
