/*
 * duplicate_places.h
 *		The order in which near_duplicates keeps rows.
 */
#ifndef NEARDUP_CLUSTER_DUPLICATE_PLACES_H
#define NEARDUP_CLUSTER_DUPLICATE_PLACES_H

#include "cluster/duplicate_rows.h"

/*
 * Puts the rows, which were read, in the order of their places, and makes the least row of each
 * content its first. Raises unique_violation if keys repeat.
 */
extern void DuplicateRowsPlace(DuplicateRows *rows);

/* The places of the rows of a pair. */
typedef struct FoundPlaces
{
	uint32 lesser;
	uint32 greater;
} FoundPlaces;

/* Returns these of a pair that the join has just found; places[number] is the place of a row. */
static inline FoundPlaces
PlacesOfPair(const SimilarityJoin *join, const uint32 *places, const FoundPair *found)
{
	const JoinKeys *numbers = &join->part->keys;
	uint32 x = places[JoinKeysInt64(numbers, found->a)];
	uint32 y = places[JoinKeysInt64(numbers, found->b)];

	return (FoundPlaces){.lesser = Min(x, y), .greater = Max(x, y)};
}

#endif
