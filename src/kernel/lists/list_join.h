/*
 * list_join.h
 *		Joins the lists of an index.
 */
#ifndef NEARDUP_KERNEL_LIST_JOIN_H
#define NEARDUP_KERNEL_LIST_JOIN_H

#include "kernel/join.h"
#include "kernel/lists/list_index.h"

/* The memory of one process. Several processes share the units, each with counters of its own. */
typedef struct ListJoiner ListJoiner;

extern ListJoiner *ListJoinerBegin(const ListIndex *index, JoinEmit emit, void *emit_context,
								   JoinCounters *counters);

/* Returns the number of units. Later units tend to take less time. */
extern uint32 ListJoinUnits(const ListIndex *index);

/* Joins the lists of a unit. Some of its pairs may be emitted later. */
extern void ListJoinUnit(ListJoiner *joiner, uint32 unit);

/* Emits the pairs that are left, and frees the joiner. */
extern void ListJoinerEnd(ListJoiner *joiner);

#endif
