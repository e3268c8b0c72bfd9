/*
 * list_join.h
 *		The fast path of the join: list by list.
 */
#ifndef NEARDUP_JOIN_LIST_JOIN_H
#define NEARDUP_JOIN_LIST_JOIN_H

#include "join/kernel/list_index.h"

/*
 * Joins the lists of the partitions first .. end - 1. Partitions can be joined
 * in any order, and by several workers, each of which has its own counters.
 */
extern void ListJoinPartitions(const ListIndex *index, uint32 first, uint32 end, JoinEmit emit,
							   void *emit_context, JoinCounters *counters);

/* The pairs that are in no list: of equal records, first .. end - 1 being the later one. */
extern void ListJoinRepeats(const ListIndex *index, uint32 first, uint32 end, JoinEmit emit,
							void *emit_context);

#endif
