/*
 * size_join.h
 *		The pairs that are similar whatever their tokens are.
 */
#ifndef NEARDUP_JOIN_SIZE_JOIN_H
#define NEARDUP_JOIN_SIZE_JOIN_H

#include "join/kernel/join.h"

/*
 * Pairs that need no common token are found by no prefix, and the other joins
 * leave them out: under hamming those with |x| + |y| <= n, under edit those with
 * |x|, |y| <= qk. Joins the records first .. end - 1 with those before them;
 * nothing under other measures. Costs no more than the pairs and the records.
 */
extern void SizeJoin(const JoinSpec *spec, uint32 first, uint32 end, JoinEmit emit,
					 void *emit_context, JoinCounters *counters);

/* The work of SizeJoin over all records: pairs of records whose sizes are near. */
extern uint64 SizeJoinUnits(const JoinSpec *spec);

#endif
