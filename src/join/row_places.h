/*
 * row_places.h
 *		Rows of a join by number, as they are read, and by place, in the order of their keys.
 *
 * Numbers and places are the same in each part of spilled rows and under each predicate. Rows of
 * equal keys are in the order of their numbers.
 */
#ifndef NEARDUP_JOIN_ROW_PLACES_H
#define NEARDUP_JOIN_ROW_PLACES_H

#include "join/query_join.h"

typedef struct RowPlaces
{
	RowObserver observer;
	MemoryContext key_context;
	KeyPolicy key_policy;
	Oid key_type;
	JoinKeys keys;	   /* by number */
	uint32 left_count; /* rows of the first query; the others follow */
	uint32 *places;	   /* by number */
	uint32 *numbers;   /* by place */
} RowPlaces;

/*
 * Sets the places up to see the rows of the request, whose reader and task it changes. They must
 * not move. Allocates in the current memory context.
 */
extern void RowPlacesInit(RowPlaces *places, JoinRequest *request);

/* Begins the join, reads the queries and orders the keys. Raises the errors of JoinReadQuery. */
extern void RowPlacesRead(RowPlaces *places, SimilarityJoin *join, const JoinRequest *request);

/* Returns the place of a row of a pair. */
static inline uint32
RowPlaceOf(const RowPlaces *places, const SimilarityJoin *join, uint32 row)
{
	return places->places[JoinKeysInt64(&join->part->keys, row)];
}

static inline bool
RowPlacesEqual(const RowPlaces *places, uint32 a, uint32 b)
{
	return JoinKeysCompare(&places->keys, places->numbers[a], places->numbers[b]) == 0;
}

/* Returns the key at a place as a result has it. */
static inline Datum
RowPlacesKey(const RowPlaces *places, uint32 place)
{
	return JoinKeysResult(&places->keys, places->key_policy, places->numbers[place]);
}

#endif
