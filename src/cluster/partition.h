/*
 * partition.h
 *		Clusters of numbers, from 0 on, from pairs that are sorted by their ends, in three modes.
 *
 * A cluster is named by its least member. The result depends only on the set of pairs.
 */
#ifndef NEARDUP_CLUSTER_PARTITION_H
#define NEARDUP_CLUSTER_PARTITION_H

#include "join/call/pair_sort.h"

typedef enum ClusterMode
{
	CLUSTER_CONNECTED, /* connected components: single link */
	CLUSTER_STAR,	   /* each member is a pair with the least one */
	CLUSTER_COMPLETE   /* any two members are a pair */
} ClusterMode;

extern ClusterMode ClusterModeOrError(const char *name);

/* Returns a pair of two different numbers with its ends in the order that the mode sorts by. */
static inline RankedPair
ClusterModePair(ClusterMode mode, uint32 x, uint32 y, double distance)
{
	bool greater_first = mode == CLUSTER_COMPLETE;

	return (RankedPair){.a = greater_first ? Max(x, y) : Min(x, y),
						.b = greater_first ? Min(x, y) : Max(x, y),
						.distance = distance};
}

/* The pairs that max_size excludes. */
typedef struct ClusterBridge
{
	uint64 count;
	/* The first such pair, the lesser number first, and the sizes of its clusters. */
	uint32 first;
	uint32 second;
	uint32 first_size;
	uint32 second_size;
} ClusterBridge;

/*
 * Complete clusters whose numbers join one after the other. The neighbours of the next number are
 * counted by cluster first.
 */
typedef struct CompletePartition
{
	uint32 max_size;
	uint32 *cluster; /* the caller's: the least member of each number's cluster */
	uint32 *size;	 /* of each cluster */
	ClusterBridge bridge;

	uint32 *count;	 /* neighbours in each cluster; zero between two numbers */
	uint32 *touched; /* clusters with a count */
	uint32 touched_count;
	uint32 touched_capacity;
} CompletePartition;

/* Begins with each of `count` numbers in a cluster of its own. Allocates 8 bytes a number. */
extern void CompletePartitionBegin(CompletePartition *partition, uint32 max_size, uint32 count,
								   uint32 *cluster);
extern void CompletePartitionEnd(CompletePartition *partition);

/* Counts neighbours of the next number that are members of a cluster. */
extern void CompletePartitionCount(CompletePartition *partition, uint32 cluster, uint32 neighbours);

/* Has a number join the first cluster whose members have all been counted; the counts are zero then. */
extern void CompletePartitionJoin(CompletePartition *partition, uint32 v);

/*
 * Sets cluster[v], for v < count, to the least member of v's cluster. The pairs are as
 * ClusterModePair makes them, sorted PAIRS_BY_ENDS; the caller has set *bridge to zero. Allocates
 * up to 12 bytes a number.
 *
 * connected: each pair, in order, joins the clusters of its ends.
 * star: each number without a cluster, from the least, is a centre, and its greater neighbours
 * without a cluster join it (the lexicographically first maximal independent set).
 * complete: each number, from the least, joins the first cluster whose members are all its
 * neighbours, or begins one.
 */
extern void ClusterPartition(ClusterMode mode, uint32 max_size, PairSort *pairs, uint32 count,
							 uint32 *cluster, ClusterBridge *bridge);

#endif
