/*
 * cluster_join.h
 *		The clusters of the rows of a self-join.
 */
#ifndef NEARDUP_CLUSTER_CLUSTER_JOIN_H
#define NEARDUP_CLUSTER_CLUSTER_JOIN_H

#include "cluster/partition.h"
#include "cluster/union_find.h"
#include "join/call/join_passes.h"

/*
 * Joins the rows of a self-join, which was read with numbers below `count` as keys, each at most once.
 * places[number] is the place of each of these numbers, below count.
 *
 * Sets cluster[place] to the least place of the row's cluster (partition.h), and similarity[place] to
 * the similarity with the row of that place: 1 for itself, NaN if they are no pair, as in connected
 * clusters. A place that no row has is a cluster of its own. A directed measure has star clusters
 * alone; of its pairs, only those are accepted whose row of the lesser place contains the other.
 *
 * The demand of the join is set during the call.
 */
extern void ClusterJoin(JoinPasses *join, ClusterMode mode, const uint32 *places, uint32 count,
						uint32 *cluster, double *similarity);

/*
 * Unites the numbers of similar rows; pairs of rows that are united before the call need not be found.
 * The join was read with the numbers 0 to sets->count - 1 as keys, each at most once. The demand of
 * the join is set during the call.
 */
extern void ClusterJoinUnite(JoinPasses *join, UnionFind *sets);

#endif
