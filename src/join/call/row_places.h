/*
 * row_places.h
 *		Rows of a join by number, as they are read, and by place, in the order of their keys.
 *
 * The join has one row of each group of equal ones (row_groups.h), with the group as its key. Groups,
 * numbers and places are the same in each part of spilled rows and under each predicate. Rows of
 * equal keys are in the order of their numbers.
 */
#ifndef NEARDUP_JOIN_ROW_PLACES_H
#define NEARDUP_JOIN_ROW_PLACES_H

#include "join/query_join.h"
#include "join/call/pair_sort.h"
#include "join/call/row_groups.h"
#include "join/rows/key_order.h"
#include "kernel/demand/best_pairs.h"

typedef struct RowPlaces
{
	RowObserver observer;
	bool is_self_join;
	MemoryContext key_context;
	KeyPolicy key_policy;
	Oid key_type;
	JoinKeys keys;	   /* keys[number] is the key of a row */
	uint32 left_count; /* rows of the first query; the others follow */
	KeyOrder order;	   /* places are ranks */
	RowGroups groups;
	SimilarityJoin *join;
} RowPlaces;

/* Two similar groups, or one whose rows are similar to each other, by number. */
typedef struct GroupPair
{
	double distance;
	uint32 x; /* under an asymmetric measure, or of two queries, the left side */
	uint32 y;
} GroupPair;

/*
 * Begins the join, reads the queries, and orders the keys; allocates in the current memory context.
 * Changes the request's reader, which refers to the places: they must not move. Errors as of
 * JoinReadQuery.
 */
extern void RowPlacesRead(RowPlaces *places, SimilarityJoin *join, JoinRequest *request);

/*
 * The same for rows that no query returns, with bigint keys: begins the join, takes the rows of one
 * side after the other, and ends reading. The request's queries do not matter.
 */
extern void RowPlacesBegin(RowPlaces *places, SimilarityJoin *join, JoinRequest *request,
						   bool is_self_join);
extern void RowPlacesBeginRight(RowPlaces *places);
extern void RowPlacesAppend(RowPlaces *places, int64 key, const JoinRow *row);
extern void RowPlacesEnd(RowPlaces *places, JoinRequest *request);

/*
 * Has the join find only the pairs of groups that are needed for the `count` best pairs of rows. Rows
 * of a self-join must have different keys. For BEST_OF_BOTH only the last row of a group counts. Returns
 * what the demand was told. That there will be such a demand is to be told before the rows are read.
 */
extern BestPairs *RowPlacesWantBest(RowPlaces *places, JoinTask *task, uint32 count, BestOf of);

/* Gives the rows of equal keys of one query the same place, for results that order by key. */
extern void RowPlacesMerge(RowPlaces *places);

/* Returns the groups of a pair that the join has found. */
extern GroupPair RowPlacesPair(const RowPlaces *places, const SimilarityJoin *join,
							   const FoundPair *found);

/*
 * Finds the next group, from pair->x on, of several rows that are similar to each other, and sets the
 * pair; false if there is none. To be called at the end of a pass of a self-join, which finds pairs
 * of different groups only.
 */
extern bool RowPlacesEqualRows(const RowPlaces *places, const SimilarityJoin *join,
							   GroupPair *pair);

/* Whether two rows have equal keys, so that a self-join does not compare them. */
extern bool RowPlacesHaveEqualKeys(const RowPlaces *places, uint32 a, uint32 b);

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
