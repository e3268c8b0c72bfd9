/*
 * size_join.h
 *		The pairs that are similar whatever their tokens are.
 */
#ifndef NEARDUP_JOIN_SIZE_JOIN_H
#define NEARDUP_JOIN_SIZE_JOIN_H

#include "join/kernel/join.h"

/*
 * Under hamming, pairs with |x| + |y| <= n need no common token, so that no
 * prefix finds them; the other joins leave them out. Joins the records first
 * .. end - 1 with those before them; nothing under other measures. Costs no
 * more than the pairs and the records.
 */
extern void SizeJoin(const JoinSpec *spec, uint32 first, uint32 end, JoinEmit emit,
					 void *emit_context, JoinCounters *counters);

#endif
