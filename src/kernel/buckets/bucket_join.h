/*
 * bucket_join.h
 *		The join by buckets: records that share a key are candidates.
 *
 * Pairs satisfy the predicate exactly; those without a common key are missed.
 */
#ifndef NEARDUP_KERNEL_BUCKET_JOIN_H
#define NEARDUP_KERNEL_BUCKET_JOIN_H

#include "kernel/buckets/bucket_index.h"
#include "kernel/join.h"

/* Each pair comes from one unit. */
extern void BucketJoinUnit(BucketIndex *index, uint32 unit, JoinEmit emit, void *emit_context,
						   JoinCounters *counters);

/* Pairs of equal records, of groups that begin in first .. end - 1. */
extern void BucketJoinRepeats(const BucketIndex *index, uint32 first, uint32 end, JoinEmit emit,
							  void *emit_context);

#endif
