/*
 * connected_join.h
 *		The connected clusters of a self-join, found without the pairs within what is connected already.
 */
#ifndef NEARDUP_CLUSTER_CONNECTED_JOIN_H
#define NEARDUP_CLUSTER_CONNECTED_JOIN_H

#include "cluster/union_find.h"
#include "join/call/join_passes.h"

/*
 * Finds the similar pairs of a self-join, and unites the numbers of their rows; pairs of rows that
 * are connected already need not be found. The join was read with the numbers 0 to sets->count - 1
 * as keys, each at most once. What is united before the call counts as connected. The demand of the
 * join is set during the call.
 */
extern void ConnectRows(JoinPasses *join, UnionFind *sets);

/*
 * Joins the rows of a self-join, with the arguments of StarJoin (star_join.h).
 *
 * Sets cluster[place] to the least place of the row's connected component, and similarity[place] to
 * the similarity with the row of that place: 1 for itself, NaN if they are no pair. A place that no
 * row has is a component of its own. The demand of the join is set during the call.
 */
extern void ConnectedJoin(JoinPasses *join, const uint32 *places, uint32 count, uint32 *cluster,
						  double *similarity);

#endif
