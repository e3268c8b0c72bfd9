/*
 * partition.h
 *		Clusters of numbers, of sorted pairs, by three rules.
 *
 * Numbers are ranks: the lesser goes first, and a cluster is known by its least
 * member. The result is a function of the set of pairs alone.
 */
#ifndef NEARDUP_CLUSTER_PARTITION_H
#define NEARDUP_CLUSTER_PARTITION_H

#include "cluster/edges.h"

typedef enum ClusterMode
{
	CLUSTER_CONNECTED, /* single link: what hangs together */
	CLUSTER_STAR,	   /* each member makes a pair with the least one */
	CLUSTER_COMPLETE   /* each two members make a pair */
} ClusterMode;

/* invalid_parameter_value where there is no mode of this name. */
extern ClusterMode ClusterModeOrError(const char *name);

/* Which end of its pairs the mode sorts them by: the greater, or else the lesser. */
static inline bool
ClusterModeSortsByGreater(ClusterMode mode)
{
	return mode == CLUSTER_COMPLETE;
}

/* The pairs that were left out lest a cluster become too large. */
typedef struct ClusterBridge
{
	uint64 count;
	/* The first of them, and the sizes of the clusters that it would have joined. */
	uint32 first;
	uint32 second;
	uint32 first_size;
	uint32 second_size;
} ClusterBridge;

/*
 * Sets cluster[v], for v below count, to the least member of v's cluster. The
 * edges, sorted, have the end that the mode sorts by first. No cluster gets more than max_size
 * members; what that left out is counted in the bridge, which must be zero.
 *
 * connected: in order of pairs, each joins the clusters of its ends.
 * star: a number that no lesser centre has taken is a centre, and takes all of its
 * greater neighbours that are free (the lexicographically first maximal
 * independent set, and each other number with its first neighbour in it).
 * complete: each number, from the least, joins the cluster with the least name among those
 * all of whose members are its neighbours; else it begins one.
 *
 * Memory: at most 12 bytes for each number, in the current memory context.
 */
extern void ClusterPartition(ClusterMode mode, uint32 max_size, Edges *edges, uint32 count,
							 uint32 *cluster, ClusterBridge *bridge);

#endif
