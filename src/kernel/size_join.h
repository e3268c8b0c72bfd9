/*
 * size_join.h
 *		Pairs that need no common token.
 */
#ifndef NEARDUP_KERNEL_SIZE_JOIN_H
#define NEARDUP_KERNEL_SIZE_JOIN_H

#include "kernel/filters/join_spec.h"
#include "kernel/join.h"

/*
 * The prefix filter misses these pairs: under hamming |x| + |y| <= n, under edit distance |x|, |y|
 * <= qk; none under other measures. Joins records first .. end - 1 with those before them.
 */
extern void SizeJoin(const JoinSpec *spec, uint32 first, uint32 end, JoinEmit emit,
					 void *emit_context, JoinCounters *counters);

/* The work over all records, in pairs. */
extern uint64 SizeJoinUnits(const JoinSpec *spec);

#endif
