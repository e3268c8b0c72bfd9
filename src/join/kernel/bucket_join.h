/*
 * bucket_join.h
 *		The join by buckets: records that share a key are candidates.
 *
 * What is emitted satisfies the predicate exactly; of the pairs that satisfy it,
 * those that share no key are not found.
 */
#ifndef NEARDUP_JOIN_BUCKET_JOIN_H
#define NEARDUP_JOIN_BUCKET_JOIN_H

#include "join/kernel/bucket_index.h"

/* One of the units of finding pairs; each pair comes from one unit. */
extern void BucketJoinUnit(BucketIndex *index, uint32 unit, JoinEmit emit, void *emit_context,
						   JoinCounters *counters);

/* The pairs of equal records, of the groups that begin in first .. end - 1. */
extern void BucketJoinRepeats(const BucketIndex *index, uint32 first, uint32 end, JoinEmit emit,
							  void *emit_context);

#endif
