/*
 * probe.h
 *		The paper's joins: each record looks up its prefix in the index.
 *
 * Records and index are only read, so that workers can share the ranges of records.
 */
#ifndef NEARDUP_KERNEL_PROBE_H
#define NEARDUP_KERNEL_PROBE_H

#include "kernel/join.h"
#include "kernel/ppjoin/prefix_index.h"

/* The memory of one process, with places for all records and heads for all tokens. */
typedef struct Prober Prober;

extern Prober *ProberBegin(const JoinSpec *spec, const PrefixIndexes *indexes, JoinEmit emit,
						   void *emit_context, JoinCounters *counters);

/*
 * Emits the pairs of the records first .. end - 1 with those that they look up (join_spec.h), except
 * pairs that need no overlap. A prober's ranges must ascend.
 */
extern void ProberJoin(Prober *prober, uint32 first, uint32 end);

extern void ProberEnd(Prober *prober);

#endif
