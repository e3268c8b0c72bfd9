/*
 * probe.h
 *		The paper's joins: each record looks up its prefix in the index.
 *
 * Records and index are only read, so workers can share the ranges.
 */
#ifndef NEARDUP_KERNEL_PROBE_H
#define NEARDUP_KERNEL_PROBE_H

#include "kernel/join.h"
#include "kernel/ppjoin/prefix_index.h"

typedef struct Prober Prober;

extern Prober *ProberBegin(const JoinSpec *spec, const PrefixIndexes *indexes, JoinEmit emit,
						   void *emit_context, JoinCounters *counters);

/*
 * The records first .. end - 1 with those before (asymmetric: with all); ranges
 * ascend. Leaves out pairs that need no overlap.
 */
extern void ProberJoin(Prober *prober, uint32 first, uint32 end);
extern void ProberEnd(Prober *prober);

#endif
