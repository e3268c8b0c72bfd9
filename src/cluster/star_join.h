/*
 * star_join.h
 *		The star clusters of a self-join, found in passes, since a claimed row needs no more pairs.
 */
#ifndef NEARDUP_CLUSTER_STAR_JOIN_H
#define NEARDUP_CLUSTER_STAR_JOIN_H

#include "join/call/join_passes.h"

/*
 * Joins the rows of a self-join, which was read with numbers below `count` as keys, each at most once.
 * places[number] is the place of each of these numbers, below count.
 *
 * Sets cluster[place] to the place of the row's centre and similarity[place] to the similarity with
 * it. Each row that no earlier centre is similar to is a centre, and its own; each other row is
 * claimed by the first centre that is similar to it. A place that no row has is its own centre.
 *
 * The demand of the join is set during the call.
 */
extern void StarJoin(JoinPasses *join, const uint32 *places, uint32 count, uint32 *cluster,
					 double *similarity);

/* The places of the rows of a pair. */
typedef struct FoundPlaces
{
	uint32 lesser;
	uint32 greater;
} FoundPlaces;

/* Returns these of a pair that the join has just found. */
static inline FoundPlaces
PlacesOfPair(const SimilarityJoin *join, const uint32 *places, const FoundPair *found)
{
	const JoinKeys *numbers = &join->part->keys;
	uint32 x = places[JoinKeysInt64(numbers, found->a)];
	uint32 y = places[JoinKeysInt64(numbers, found->b)];

	return (FoundPlaces){.lesser = Min(x, y), .greater = Max(x, y)};
}

/*
 * Does as much of that as takes little for the rows that it claims; other rows remain their own
 * centres.
 */
extern void StarJoinBlocks(JoinPasses *join, const uint32 *places, uint32 count, uint32 *cluster,
						   double *similarity);

#endif
