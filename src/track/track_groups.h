/*
 * track_groups.h
 *		Rows and clusters that hang together: what a statement adds, and what it is similar to.
 */
#ifndef NEARDUP_TRACK_TRACK_GROUPS_H
#define NEARDUP_TRACK_TRACK_GROUPS_H

#include "cluster/union_find.h"

/* Clusters have numbers from 1. */
#define TRACK_NO_CLUSTER 0

typedef struct TrackGroups
{
	MemoryContext context; /* of all */
	UnionFind nodes;
	uint32 rows; /* the first nodes */
	struct cluster_nodes_hash *clusters;
	int64 *numbers; /* of the nodes from `rows` on */
	uint32 capacity;
} TrackGroups;

/* Nodes for so many rows, in a child of the current memory context. */
extern TrackGroups *TrackGroupsCreate(uint32 rows);
extern void TrackGroupsFree(TrackGroups *groups);

extern uint32 TrackGroupsOfCluster(TrackGroups *groups, int64 cluster);
extern void TrackGroupsUnite(TrackGroups *groups, uint32 a, uint32 b);

/* kept[root]: the group's only cluster, the least one of several, or TRACK_NO_CLUSTER. */
extern int64 *TrackGroupsClusters(TrackGroups *groups);

#endif
