/*
 * set_groups.h
 *		Joins of groups of equal sets, for functions that rank the pairs of rows.
 *
 * Rows of equal sets have the same similar rows, except themselves. So a join of n equal rows need not
 * find their n²/2 pairs: it finds each pair of groups (call_rows.h) once, and its caller takes from a
 * pair of groups as many rows as it needs.
 *
 * Equally similar pairs of rows are in this order, whatever the order of reading, the parts and the
 * workers: by the first row of a's group, by the first row of b's group, by a, by b. In a self-join
 * under a measure that is not directed, the pair of groups begins with the one whose first row has the lesser key,
 * and a row is returned as a if its own key is the lesser one. In plain SQL, for two queries:
 *
 *		SELECT a.key, b.key
 *		FROM (SELECT *, min(key) OVER (PARTITION BY set) AS first FROM query) AS a,
 *			 (SELECT *, min(key) OVER (PARTITION BY set) AS first FROM against) AS b
 *		ORDER BY similarity(a.set, b.set) DESC, a.first, b.first, a.key, b.key
 */
#ifndef NEARDUP_JOIN_SET_GROUPS_H
#define NEARDUP_JOIN_SET_GROUPS_H

#include "join/call/call_rows.h"
#include "join/call/pair_sort.h"
#include "kernel/demand/best_pairs.h"

/*
 * Reads rows of sets as CallRowsRead does, with unique keys in whose order rows have their places. Equal
 * sets of a query are one group.
 */
extern void SetGroupsRead(CallRows *rows, SimilarityJoin *join, JoinRequest *request);

/* Returns the wishes of such rows, for a caller that appends them itself, and calls SetGroupsPlace then. */
extern RowWishes SetGroupsWishes(JoinRequest *request);
extern void SetGroupsPlace(CallRows *rows, JoinRequest *request);

/*
 * Has the join find only the pairs of groups that are needed for the `count` best pairs of rows, and
 * returns what the demand was told. That there will be such a demand is to be told before the rows are read.
 */
extern BestPairs *SetGroupsWantBest(CallRows *rows, JoinTask *task, uint32 count, BestOf of);

/*
 * Returns the groups of a pair that the join has found. Under a directed measure, or of two queries, a
 * is the left side, else the lesser group.
 */
extern RankedPair SetGroupsPair(const CallRows *rows, const FoundPair *found);

/*
 * Finds the next group, from pair->a on, of several rows that are similar to each other, and sets the
 * pair, of the group with itself; false if there is none. To be called at the end of a pass of a
 * self-join, which finds pairs of different groups only.
 */
extern bool SetGroupsNextEqual(const CallRows *rows, RankedPair *pair);

/* Whether the pairs of a self-join come once, and not as (a, b) and (b, a). */
static inline bool
SetGroupsPairOnce(const CallRows *rows, Measure measure)
{
	return rows->is_self_join && !MeasureIsDirected(measure);
}

#endif
