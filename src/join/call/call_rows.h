/*
 * call_rows.h
 *		The rows of a call: by number, as they are read, and by place, in the order of their keys; equal
 *		rows are once in the join.
 *
 * The keys of a query are unique.
 *
 * Rows of equal sets have the same similar rows, except themselves. So a join of n equal rows need not
 * find their n²/2 pairs: it has the first row of each group of equal ones only, with the group's number
 * as its key, and finds each pair of groups once; its caller takes from a pair of groups as many rows
 * as it needs. The rows of two queries are in different groups. While rows are read, groups are
 * numbered as they come. Once keys are in order, a group has the rank of its first row, that of the
 * least key, among the first rows of all groups, and is known by this rank; its members are places.
 * Groups, numbers and places are the same in each part of spilled rows and under each predicate.
 *
 * Equally similar pairs of rows are in this order, whatever the order of reading, the parts and the
 * workers: by the first row of a's group, by the first row of b's group, by a, by b. In a self-join
 * under a symmetric measure, the pair of groups begins with the one whose first row has the lesser key,
 * and a row is returned as a if its own key is the lesser one. In plain SQL, for two queries:
 *
 *		SELECT a.key, b.key
 *		FROM (SELECT *, min(key) OVER (PARTITION BY set) AS first FROM query) AS a,
 *			 (SELECT *, min(key) OVER (PARTITION BY set) AS first FROM against) AS b
 *		ORDER BY similarity(a.set, b.set) DESC, a.first, b.first, a.key, b.key
 */
#ifndef NEARDUP_JOIN_CALL_ROWS_H
#define NEARDUP_JOIN_CALL_ROWS_H

#include "join/query_join.h"
#include "join/call/pair_sort.h"
#include "join/rows/copies.h"
#include "join/rows/key_order.h"
#include "kernel/demand/best_pairs.h"

typedef struct CallRows
{
	SimilarityJoin *join;
	bool is_self_join;
	KeyPolicy key_policy;
	JoinKeys keys;	   /* keys[number] is the key of a row */
	uint32 left_count; /* rows of the first query; the others follow */
	KeyOrder order;	   /* places are ranks */
	uint32 group_count;
	uint32
		left_group_count; /* groups of the first query; by number, those of the second one follow */
	uint32 empty;		  /* number of the last query's group without tokens, or NO_ROW */

	/* While rows are read. */
	MemoryContext key_context;
	MemoryContext reading_context; /* of the rest */
	Copies *copies;				   /* copies within the present query */
	uint32 *of_rows;			   /* the group of each row, by number */
	uint32 row_capacity;
	uint32 *sizes; /* tokens of each group, by number */
	uint32 size_capacity;

	/* Once keys are in order. The members of a group are members[starts[rank]] and so on. */
	uint32 *ranks;	 /* by number */
	uint32 *numbers; /* by rank */
	uint32 *starts;
	uint32 *members; /* places, ascending within a group */
	int64 *measured; /* by rank, the size of a group's set, or its weight once it is weighed */
} CallRows;

/*
 * Begins the join, reads the queries, and orders the keys; allocates in the current memory context.
 * Changes the request's task, which may refer to the rows: they must not move. Errors as of
 * JoinReadQuery; unique_violation if a key occurs twice in a query.
 */
extern void CallRowsRead(CallRows *rows, SimilarityJoin *join, JoinRequest *request);

/*
 * The same for rows that no query returns, with bigint keys: begins the join, takes the rows of one
 * side after the other, and ends reading. The request's queries do not matter.
 */
extern void CallRowsBegin(CallRows *rows, SimilarityJoin *join, JoinRequest *request,
						  bool is_self_join);
extern void CallRowsBeginRight(CallRows *rows);
extern void CallRowsAppend(CallRows *rows, int64 key, const JoinRow *row);
extern void CallRowsEnd(CallRows *rows, JoinRequest *request);

/*
 * Has the join find only the pairs of groups that are needed for the `count` best pairs of rows, and
 * returns what the demand was told. That there will be such a demand is to be told before the rows are read.
 */
extern BestPairs *CallRowsWantBest(CallRows *rows, JoinTask *task, uint32 count, BestOf of);

/*
 * Returns the groups of a pair that the join has found. Under an asymmetric measure, or of two queries,
 * a is the left side, else the lesser group.
 */
extern RankedPair CallRowsPair(const CallRows *rows, const FoundPair *found);

/*
 * Finds the next group, from pair->a on, of several rows that are similar to each other, and sets the
 * pair, of the group with itself; false if there is none. To be called at the end of a pass of a
 * self-join, which finds pairs of different groups only.
 */
extern bool CallRowsNextEqual(const CallRows *rows, RankedPair *pair);

/* Whether the pairs of a self-join come once, and not as (a, b) and (b, a). */
static inline bool
CallRowsPairOnce(const CallRows *rows, Measure measure)
{
	return rows->is_self_join && !MeasureIsAsymmetric(measure);
}

/* Returns the number of the row at a place. */
static inline uint32
CallRowsNumber(const CallRows *rows, uint32 place)
{
	return rows->order.by_rank[place];
}

/* Returns the key of the row at a place as a result. */
static inline Datum
CallRowsKey(const CallRows *rows, uint32 place)
{
	return JoinKeysResult(&rows->keys, rows->key_policy, CallRowsNumber(rows, place));
}

/* Returns how many rows a group has. */
static inline uint32
CallRowsGroupSize(const CallRows *rows, uint32 group)
{
	return rows->starts[group + 1] - rows->starts[group];
}

/* Returns the first of the members of a group. */
static inline const uint32 *
CallRowsMembers(const CallRows *rows, uint32 group)
{
	return rows->members + rows->starts[group];
}

#endif
