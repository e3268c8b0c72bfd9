/*
 * repeat_join.h
 *		Equal records, which most indexes have once.
 *
 * Canonical records of equal content and side are neighbours. The first of them has postings; the
 * others, its repeats, have none. A pair that is found by postings stands for all pairs of its
 * records' repeats. The pairs of a record with its own repeats meet nowhere and are found here.
 */
#ifndef NEARDUP_KERNEL_REPEAT_JOIN_H
#define NEARDUP_KERNEL_REPEAT_JOIN_H

#include "kernel/filters/join_spec.h"
#include "kernel/join.h"

/* Returns a record and its repeats; it is not a repeat itself. */
extern RecordRange RepeatsOf(const JoinRecords *records, uint32 record);

/*
 * Emits the pairs of each record of first .. end - 1 with the equal records before it, or with the
 * one before it alone if one suffices.
 */
extern void RepeatJoin(const JoinSpec *spec, uint32 first, uint32 end, bool one_suffices,
					   JoinEmit emit, void *emit_context);

#endif
