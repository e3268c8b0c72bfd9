/*
 * connecting_pairs.h
 *		The demand for pairs that connect groups of records.
 *
 * The records of a group are known to be connected by similar pairs. Only pairs that connect two groups
 * are wanted. A process unites the groups of each pair that it finds, so that it finds a forest.
 *
 * The caller tells the group of each key, below key_count.
 */
#ifndef NEARDUP_KERNEL_CONNECTING_PAIRS_H
#define NEARDUP_KERNEL_CONNECTING_PAIRS_H

#include "kernel/demand/pair_demand.h"
#include "kernel/demand/roots.h"

extern const PairDemandKind connecting_pairs;

/* Wants the pairs that connect these groups. */
static inline void
PairDemandConnect(PairDemand *demand, uint32 *groups, uint32 count)
{
	PairDemandByRoles(demand, NULL, count);
	demand->kind = &connecting_pairs;
	demand->of_keys = groups;
}

typedef struct OpenGroups
{
	OpenDemand open;
	const uint32 *groups; /* by record, the first record of its group as all processes know it */
	uint32 *parents; /* union-find by record, without ranks: finding a root halves the path to it */
} OpenGroups;

/* Returns the demand if it is for connecting pairs, else NULL. */
static inline OpenGroups *
OpenGroupsOf(OpenDemand *demand)
{
	return demand != NULL && demand->kind == &connecting_pairs ? (OpenGroups *) demand : NULL;
}

/* Returns the record that stands for all that a record is connected with. */
static inline uint32
OpenGroupsRoot(const OpenGroups *open, uint32 record)
{
	return RootOf(open->parents, record);
}

/* Returns whether two records are connected, as far as this process knows. */
static inline bool
OpenGroupsConnect(const OpenGroups *open, uint32 x, uint32 y)
{
	return OpenGroupsRoot(open, x) == OpenGroupsRoot(open, y);
}

#endif
