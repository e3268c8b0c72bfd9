/*
 * list_repeats.h
 *		Equal records, which lists have once.
 *
 * Canonical records of equal content and side are neighbours. The first of them has postings; the
 * others, its repeats, have none. A pair that is found by lists stands for all pairs of its
 * records' repeats. The pairs of a record with its own repeats meet in no list and are found here.
 */
#ifndef NEARDUP_KERNEL_LIST_REPEATS_H
#define NEARDUP_KERNEL_LIST_REPEATS_H

#include "kernel/join.h"
#include "kernel/lists/list_index.h"

/* Returns a record and its repeats; it is not a repeat itself. */
extern RecordRange ListRepeatsOf(const ListIndex *index, uint32 record);

/* Emits the pairs of each record of first .. end - 1 with the equal records before it. */
extern void ListRepeatsJoin(const ListIndex *index, uint32 first, uint32 end, JoinEmit emit,
							void *emit_context);

#endif
