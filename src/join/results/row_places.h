/*
 * row_places.h
 *		Rows of a join by number, as they are read, and by place, in the order of their keys.
 *
 * The join has the numbers as its keys. Numbers and places are the same in each part of spilled rows
 * and under each predicate. Rows of equal keys are in the order of their numbers.
 */
#ifndef NEARDUP_JOIN_ROW_PLACES_H
#define NEARDUP_JOIN_ROW_PLACES_H

#include "join/query_join.h"
#include "join/results/pair_sort.h"
#include "join/rows/key_order.h"

typedef struct RowPlaces
{
	RowObserver observer;
	bool is_self_join;
	MemoryContext key_context;
	KeyPolicy key_policy;
	Oid key_type;
	JoinKeys keys;	   /* by number */
	uint32 left_count; /* rows of the first query; the others follow */
	KeyOrder order;	   /* places are ranks */
} RowPlaces;

/*
 * Begins the join, reads the queries, and orders the keys; allocates in the current memory context.
 * Changes the request's reader, which refers to the places: they must not move. Errors as of
 * JoinReadQuery.
 */
extern void RowPlacesRead(RowPlaces *places, SimilarityJoin *join, JoinRequest *request);

/* Gives the rows of equal keys of one query the same place, for results that order by key. */
extern void RowPlacesMerge(RowPlaces *places);

/*
 * Sets *pair to the places and the distance of a pair that the join has found, the lesser place first
 * in a self-join by a symmetric measure. Returns false for two rows of equal keys, which a self-join
 * does not compare.
 */
extern bool RowPlacesPair(const RowPlaces *places, const SimilarityJoin *join,
						  const FoundPair *found, RankedPair *pair);

/* Returns the number of the row at a place. */
static inline uint32
RowPlacesNumber(const RowPlaces *places, uint32 place)
{
	return places->order.by_rank[place];
}

/* Returns the key of the row at a place as a result. */
static inline Datum
RowPlacesKey(const RowPlaces *places, uint32 place)
{
	return JoinKeysResult(&places->keys, places->key_policy, RowPlacesNumber(places, place));
}

#endif
