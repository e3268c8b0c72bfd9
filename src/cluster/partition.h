/*
 * partition.h
 *		Clusters of numbers from sorted pairs, in three modes.
 *
 * A cluster is named by its least member. The result depends only on the set of pairs.
 */
#ifndef NEARDUP_CLUSTER_PARTITION_H
#define NEARDUP_CLUSTER_PARTITION_H

#include "cluster/edges.h"

typedef enum ClusterMode
{
	CLUSTER_CONNECTED, /* connected components: single link */
	CLUSTER_STAR,	   /* each member is a pair with the least one */
	CLUSTER_COMPLETE   /* any two members are a pair */
} ClusterMode;

extern ClusterMode ClusterModeOrError(const char *name);

/* Whether the first number of a sorted pair is the greater. */
static inline bool
ClusterModeSortsByGreater(ClusterMode mode)
{
	return mode == CLUSTER_COMPLETE;
}

/* Pairs that max_size excludes. */
typedef struct ClusterBridge
{
	uint64 count;
	/* Of the first such pair. */
	uint32 first;
	uint32 second;
	uint32 first_size;
	uint32 second_size;
} ClusterBridge;

/*
 * cluster[v], for v < count, becomes the least member of v's cluster. The edges are sorted in the
 * order of the mode; *bridge is zeroed by the caller. Allocates up to 12 bytes a number.
 *
 * connected: each pair, in order, joins the clusters of its ends.
 * star: each number without a cluster, from the least, is a centre, and its greater neighbours
 * without a cluster join it (the lexicographically first maximal independent set).
 * complete: each number, from the least, joins the first cluster whose members are all its
 * neighbours, or begins one.
 */
extern void ClusterPartition(ClusterMode mode, uint32 max_size, Edges *edges, uint32 count,
							 uint32 *cluster, ClusterBridge *bridge);

#endif
