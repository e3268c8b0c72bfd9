/*
 * record_clusters.h
 *		Clusters of units by the scores of the candidates, by mean linkage.
 *
 * Candidates come by score, the greatest first. Two single rows become one cluster if their score is
 * above 0. Otherwise two clusters do if the mean score of all t pairs of their rows is above -2 (1 - 1/t);
 * a pair that is no candidate counts -5. So a row joins those that it resembles in the mean, though some
 * of them differ from it. Two rows of `except_pairs` are never in one cluster.
 *
 * Only units that are connected by scores above -2 can meet, and memory holds the scores within such
 * components only.
 */
#ifndef NEARDUP_LINK_RECORD_CLUSTERS_H
#define NEARDUP_LINK_RECORD_CLUSTERS_H

#include "kernel/demand/roots.h"
#include "link/record_rows.h"

typedef struct RecordClusters
{
	const RecordRows *rows;
	MemoryContext context; /* of all below */
	uint32 *parents;	   /* by unit; a root names a cluster */
	bool *whole;		   /* by unit: its rows are a cluster, since they are equal */
	uint32 *unit_counts;   /* by root */

	struct ClusterMerge *merge; /* while clusters are found */
} RecordClusters;

/* Begins with each unit as a cluster, in a context below the current one. */
extern RecordClusters *RecordClustersBegin(const RecordRows *rows);

/* Notes the score of a candidate. */
extern void RecordClustersNote(RecordClusters *clusters, uint32 a, uint32 b, double score);

/* Makes the clusters, after all candidates were noted. Can be cancelled. */
extern void RecordClustersFind(RecordClusters *clusters);

extern void RecordClustersFree(RecordClusters *clusters);

/* Returns the cluster of a unit. */
static inline uint32
RecordClusterOf(const RecordClusters *clusters, uint32 unit)
{
	return RootOf(clusters->parents, unit);
}

/* Whether all rows of a unit are in one cluster, and not each in one of its own. */
static inline bool
RecordClusterHoldsUnit(const RecordClusters *clusters, uint32 unit)
{
	return clusters->whole[unit] || clusters->unit_counts[RecordClusterOf(clusters, unit)] > 1;
}

/* Whether the rows of a candidate are in one cluster. */
static inline bool
RecordClusterHolds(const RecordClusters *clusters, uint32 a, uint32 b)
{
	if (a == b)
		return RecordClusterHoldsUnit(clusters, a);
	return RecordClusterOf(clusters, a) == RecordClusterOf(clusters, b);
}

#endif
