/*
 * record_clusters.h
 *		Clusters of groups by the scores of the candidates, by mean linkage.
 *
 * Candidates come by score, the greatest first. Two single rows become one cluster if their score is
 * above 0. Otherwise two clusters do if the mean score of all t pairs of their rows is above -2 (1 - 1/t);
 * a pair that is no candidate counts -5. So a row joins those that it resembles in the mean, though some
 * of them differ from it. Two rows of `except_pairs` are never in one cluster, nor are two groups that a
 * veto parts: of each column of the veto, a cluster has one value or none.
 *
 * Groups of an entity that is known are a cluster from the start, and two such clusters never become one. Where
 * a cluster of other groups joins an entity, but could as well join another one, its groups stand between both.
 *
 * Only groups that are connected by scores above -2 can meet, and memory holds the scores within such
 * components only.
 */
#ifndef NEARDUP_LINK_RECORD_CLUSTERS_H
#define NEARDUP_LINK_RECORD_CLUSTERS_H

#include "kernel/demand/roots.h"
#include "join/call/call_rows.h"
#include "link/veto.h"

typedef struct RecordClusters
{
	const CallRows *rows;
	MemoryContext context; /* of all below */
	uint32 *parents;	   /* by group; a root names a cluster */
	bool *whole;		   /* by group: its rows are a cluster, since they are equal */
	uint32 *group_counts;  /* by root */

	/* If entities are known, else NULL; an entity is named by its least group. */
	uint32 *entities; /* by root: the entity of the cluster, or NO_ROW */
	uint32 *others;	  /* by group: another entity that it could as well join, or NO_ROW */
	uint32 *parts;	  /* by group: the least group of those that joined the entity with it */

	struct ClusterMerge *merge; /* while clusters are found */
} RecordClusters;

/*
 * Begins with each group as a cluster, in a context below the current one. `entities` has by group the least
 * group of its entity, or NO_ROW; NULL if no entities are known.
 */
extern RecordClusters *RecordClustersBegin(const CallRows *rows, const Veto *veto,
										   const uint32 *entities);

/* Notes the score of a candidate. */
extern void RecordClustersNote(RecordClusters *clusters, uint32 a, uint32 b, double score);

/* Makes the clusters, after all candidates were noted. Can be cancelled. */
extern void RecordClustersFind(RecordClusters *clusters);

extern void RecordClustersFree(RecordClusters *clusters);

/* Returns the cluster of a group. */
static inline uint32
RecordClusterOf(const RecordClusters *clusters, uint32 group)
{
	return RootOf(clusters->parents, group);
}

/* Whether all rows of a group are in one cluster, and not each in one of its own. */
static inline bool
RecordClusterHoldsGroup(const RecordClusters *clusters, uint32 group)
{
	return clusters->whole[group] || clusters->group_counts[RecordClusterOf(clusters, group)] > 1;
}

/* Whether the rows of a candidate are in one cluster. */
static inline bool
RecordClusterHolds(const RecordClusters *clusters, uint32 a, uint32 b)
{
	if (a == b)
		return RecordClusterHoldsGroup(clusters, a);
	return RecordClusterOf(clusters, a) == RecordClusterOf(clusters, b);
}

#endif
