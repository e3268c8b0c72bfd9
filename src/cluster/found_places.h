/*
 * found_places.h
 *		The places of the rows of a pair that a join has just found.
 */
#ifndef NEARDUP_CLUSTER_FOUND_PLACES_H
#define NEARDUP_CLUSTER_FOUND_PLACES_H

#include "join/similarity_join.h"

typedef struct FoundPlaces
{
	uint32 lesser;
	uint32 greater;
} FoundPlaces;

/* Returns these, given the places of the numbers that are the keys of the join. */
static inline FoundPlaces
PlacesOfPair(const SimilarityJoin *join, const uint32 *places, const FoundPair *found)
{
	const JoinKeys *numbers = &join->part->keys;
	uint32 x = places[JoinKeysInt64(numbers, found->a)];
	uint32 y = places[JoinKeysInt64(numbers, found->b)];

	return (FoundPlaces){.lesser = Min(x, y), .greater = Max(x, y)};
}

#endif
