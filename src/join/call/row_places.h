/*
 * row_places.h
 *		Rows of a join by number, as they are read, and by place, in the order of their keys.
 *
 * The join has one row of each group of equal ones (row_groups.h), with the group's number as its
 * key. Groups, numbers and places are the same in each part of spilled rows and under each predicate.
 * The keys of a query are unique.
 *
 * Equally similar pairs of rows are in this order, whatever the order of reading, the parts and the
 * workers: by the first row of a's group, by the first row of b's group, by a, by b. The first row of
 * a group is the one of the least key. In a self-join under a symmetric measure, the pair of groups
 * begins with the one whose first row has the lesser key, and a row is returned as a if its own key is
 * the lesser one. In plain SQL, for two queries:
 *
 *		SELECT a.key, b.key
 *		FROM (SELECT *, min(key) OVER (PARTITION BY set) AS first FROM query) AS a,
 *			 (SELECT *, min(key) OVER (PARTITION BY set) AS first FROM against) AS b
 *		ORDER BY similarity(a.set, b.set) DESC, a.first, b.first, a.key, b.key
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
	bool is_self_join;
	MemoryContext key_context;
	KeyPolicy key_policy;
	JoinKeys keys;	   /* keys[number] is the key of a row */
	uint32 left_count; /* rows of the first query; the others follow */
	KeyOrder order;	   /* places are ranks */
	RowGroups groups;
	SimilarityJoin *join;
} RowPlaces;

/*
 * Begins the join, reads the queries, and orders the keys; allocates in the current memory context.
 * Changes the request's task, which may refer to the places: they must not move. Errors as of
 * JoinReadQuery; unique_violation if a key occurs twice in a query.
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
 * Has the join find only the pairs of groups that are needed for the `count` best pairs of rows, and
 * returns what the demand was told. That there will be such a demand is to be told before the rows are read.
 */
extern BestPairs *RowPlacesWantBest(RowPlaces *places, JoinTask *task, uint32 count, BestOf of);

/*
 * Returns the groups of a pair that the join has found. Under an asymmetric measure, or of two queries,
 * a is the left side, else the lesser group.
 */
extern RankedPair RowPlacesPair(const RowPlaces *places, const SimilarityJoin *join,
								const FoundPair *found);

/*
 * Finds the next group, from pair->a on, of several rows that are similar to each other, and sets the
 * pair, of the group with itself; false if there is none. To be called at the end of a pass of a
 * self-join, which finds pairs of different groups only.
 */
extern bool RowPlacesEqualRows(const RowPlaces *places, const SimilarityJoin *join,
							   RankedPair *pair);

/* Whether the pairs of a self-join come once, and not as (a, b) and (b, a). */
static inline bool
RowPlacesPairOnce(const RowPlaces *places, Measure measure)
{
	return places->is_self_join && !MeasureIsAsymmetric(measure);
}

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
