/*
 * list_join.h
 *		The fast path of the join: list by list.
 */
#ifndef NEARDUP_JOIN_LIST_JOIN_H
#define NEARDUP_JOIN_LIST_JOIN_H

#include "join/kernel/list_index.h"

/*
 * Joins the lists of an index; several joiners, each with its own counters, can
 * share the units of it.
 */
typedef struct ListJoiner ListJoiner;

extern ListJoiner *ListJoinerBegin(const ListIndex *index, JoinEmit emit, void *emit_context,
								   JoinCounters *counters);

/* Units into which the partitions divide, those that take longest first; and one of them. */
extern uint32 ListJoinUnits(const ListIndex *index);
extern void ListJoinUnit(ListJoiner *joiner, uint32 unit);

/* Emits what it held back, and frees the joiner. */
extern void ListJoinerEnd(ListJoiner *joiner);

/* The pairs that are in no list: of equal records, first .. end - 1 being the later one. */
extern void ListJoinRepeats(const ListIndex *index, uint32 first, uint32 end, JoinEmit emit,
							void *emit_context);

#endif
