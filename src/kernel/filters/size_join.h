/*
 * size_join.h
 *		Pairs that need no common token, which the prefix filter misses.
 *
 * Some measures find two small sets similar although they have nothing in common: under a Hamming
 * distance of at most n all sets with |x| + |y| <= n, under an edit distance of at most k all texts
 * of at most qk q-grams. These sets are the first ones in canonical order, up to
 * JoinSpec.no_overlap_end. They are joined here by their sizes; engines leave these pairs out.
 */
#ifndef NEARDUP_KERNEL_SIZE_JOIN_H
#define NEARDUP_KERNEL_SIZE_JOIN_H

#include "kernel/filters/join_spec.h"
#include "kernel/join.h"

/*
 * Emits the pairs of records first .. end - 1 with earlier ones that need no common token. Each
 * call reads all small records, so there should be few calls.
 */
extern void SizeJoin(const JoinSpec *spec, uint32 first, uint32 end, JoinEmit emit,
					 void *emit_context, JoinCounters *counters);

/* Returns the work for all records, in pairs that may be compared: what SizeJoin adds to done. */
extern uint64 SizeJoinUnits(const JoinSpec *spec);

#endif
