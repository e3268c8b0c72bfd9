/*
 * star_join.h
 *		The star clusters of a self-join, found in passes, since a claimed row needs no more pairs.
 */
#ifndef NEARDUP_CLUSTER_STAR_JOIN_H
#define NEARDUP_CLUSTER_STAR_JOIN_H

#include "join/call/join_passes.h"

/*
 * Joins the rows of a self-join, which was read with the numbers of rows as keys. places[number],
 * for number < count, is the place of a row of the join, below count, or NO_ROW.
 *
 * Sets cluster[place] to the place of the row's centre and similarity[place] to the similarity with
 * it. Each row that no earlier centre is similar to is a centre, and its own; each other row is
 * claimed by the first centre that is similar to it. A place that no row has is its own centre.
 *
 * The demand of the join is set during the call.
 */
extern void StarJoin(JoinPasses *join, const uint32 *places, uint32 count, uint32 *cluster,
					 double *similarity);

/*
 * Does as much of that as takes little for the rows that it claims; other rows remain their own
 * centres.
 */
extern void StarJoinBlocks(JoinPasses *join, const uint32 *places, uint32 count, uint32 *cluster,
						   double *similarity);

#endif
