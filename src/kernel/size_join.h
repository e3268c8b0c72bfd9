/*
 * size_join.h
 *		Pairs that need no common token, which the prefix filter misses.
 */
#ifndef NEARDUP_KERNEL_SIZE_JOIN_H
#define NEARDUP_KERNEL_SIZE_JOIN_H

#include "kernel/filters/join_spec.h"
#include "kernel/join.h"

/*
 * Joins records first .. end - 1 with earlier ones, if |x| + |y| <= n under hamming or |x|, |y| <=
 * qk under edit distance.
 */
extern void SizeJoin(const JoinSpec *spec, uint32 first, uint32 end, JoinEmit emit,
					 void *emit_context, JoinCounters *counters);

/* Work for all records, in pairs. */
extern uint64 SizeJoinUnits(const JoinSpec *spec);

#endif
