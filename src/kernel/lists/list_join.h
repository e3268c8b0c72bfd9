/*
 * list_join.h
 *		Joining the lists of an index.
 */
#ifndef NEARDUP_KERNEL_LIST_JOIN_H
#define NEARDUP_KERNEL_LIST_JOIN_H

#include "kernel/join.h"
#include "kernel/lists/list_index.h"

/* Several can share the units, each with its own counters. */
typedef struct ListJoiner ListJoiner;

extern ListJoiner *ListJoinerBegin(const ListIndex *index, JoinEmit emit, void *emit_context,
								   JoinCounters *counters);

/* Units take less time the later they come. */
extern uint32 ListJoinUnits(const ListIndex *index);
extern void ListJoinUnit(ListJoiner *joiner, uint32 unit);

/* Emits what it held back. */
extern void ListJoinerEnd(ListJoiner *joiner);

/* The pairs in no list: first .. end - 1 with equal records before them. */
extern void ListJoinRepeats(const ListIndex *index, uint32 first, uint32 end, JoinEmit emit,
							void *emit_context);

#endif
