/*
 * track_groups.h
 *		Groups of rows and clusters: the connected components of what a statement adds and of the
 *		clusters that this is similar to.
 *
 * A graph of nodes, as a forest. The first nodes are the rows of a statement; further ones are the
 * clusters that are found. Similar rows are united, and a row with the clusters of what it is
 * similar to. In the end each group is one cluster: a new one if it has no cluster yet, its only
 * one, or several that have to merge.
 */
#ifndef NEARDUP_TRACK_TRACK_GROUPS_H
#define NEARDUP_TRACK_TRACK_GROUPS_H

#include "cluster/union_find.h"

/* No cluster has this number: they begin with 1. */
#define TRACK_NO_CLUSTER 0

typedef struct TrackGroups
{
	MemoryContext context; /* of the groups and all that they point to */
	UnionFind nodes;
	uint32 rows;						 /* how many of the nodes are rows; they come first */
	struct cluster_nodes_hash *clusters; /* from a cluster's number to its node */
	int64 *numbers;						 /* the clusters of the nodes from `rows` on */
	uint32 capacity;
} TrackGroups;

/* Makes a node for each of `rows` rows, in a child of the current memory context. */
extern TrackGroups *TrackGroupsCreate(uint32 rows);
extern void TrackGroupsFree(TrackGroups *groups);

/* Returns the node of a cluster, which is made if there is none yet. */
extern uint32 TrackGroupsOfCluster(TrackGroups *groups, int64 cluster);

/* Makes the groups of two nodes one. */
extern void TrackGroupsUnite(TrackGroups *groups, uint32 a, uint32 b);

/*
 * Returns an array by root, palloc'd: the only cluster of the group, the one with the least number
 * of several, or TRACK_NO_CLUSTER.
 */
extern int64 *TrackGroupsClusters(TrackGroups *groups);

#endif
