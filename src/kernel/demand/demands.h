/*
 * demands.h
 *		Telling records, and the engine that joins them, which pairs are wanted.
 */
#ifndef NEARDUP_KERNEL_DEMANDS_H
#define NEARDUP_KERNEL_DEMANDS_H

#include "kernel/demand/pair_demand.h"

/*
 * Sets the demand of canonical records, by the keys of their rows: keys[row]. It must stay until it is
 * freed. Since engines join distinct sets, equal records of a side get one role, with the bits of all of
 * theirs; so an engine may find pairs that no key's role asks for.
 */
extern void RecordDemandSet(JoinRecords *records, const PairDemand *demand, const int64 *keys);

/* Has all pairs be wanted again. */
extern void RecordDemandFree(JoinRecords *records);

/* Returns the kind of demand that chooses among the pairs; NULL if none does. */
extern const PairDemandKind *RecordDemandKind(const JoinRecords *records);

/* Begins to ask in this process; returns NULL if all pairs by the roles are wanted. */
extern OpenDemand *RecordDemandOpen(const JoinRecords *records, Predicate predicate);

/* Returns which roles the keys have: a bit 1 << JoinRole for each. */
extern uint8 PairDemandOccurringRoles(const PairDemand *demand);

#endif
