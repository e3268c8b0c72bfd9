/*
 * bucket_join.h
 *		The join by buckets, where records that share a key are candidates.
 *
 * Emitted pairs satisfy the predicate. Similar pairs without a common key are missed.
 */
#ifndef NEARDUP_KERNEL_BUCKET_JOIN_H
#define NEARDUP_KERNEL_BUCKET_JOIN_H

#include "kernel/buckets/bucket_index.h"
#include "kernel/join.h"

/* Emits the similar pairs of groups that share a key in this unit, but none in an earlier one. */
extern void BucketJoinUnit(BucketIndex *index, uint32 unit, JoinEmit emit, void *emit_context,
						   JoinCounters *counters);

/* Emits the pairs of equal records, for the groups that begin in first .. end - 1. */
extern void BucketJoinRepeats(const BucketIndex *index, uint32 first, uint32 end, JoinEmit emit,
							  void *emit_context);

#endif
