/*
 * list_join.h
 *		The fast path of the join: list by list.
 */
#ifndef NEARDUP_JOIN_LIST_JOIN_H
#define NEARDUP_JOIN_LIST_JOIN_H

#include "join/kernel/list_index.h"

/*
 * Joins partitions, in any order; several joiners, each with its own counters,
 * can share them.
 */
typedef struct ListJoiner ListJoiner;

extern ListJoiner *ListJoinerBegin(const ListIndex *index, JoinEmit emit, void *emit_context,
								   JoinCounters *counters);
extern void ListJoinPartition(ListJoiner *joiner, uint32 partition);

/* Emits what it held back, and frees the joiner. */
extern void ListJoinerEnd(ListJoiner *joiner);

/* The pairs that are in no list: of equal records, first .. end - 1 being the later one. */
extern void ListJoinRepeats(const ListIndex *index, uint32 first, uint32 end, JoinEmit emit,
							void *emit_context);

#endif
