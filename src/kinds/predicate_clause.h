/*
 * predicate_clause.h
 *		The conditions of a query that two sets, simhashes or texts are similar.
 */
#ifndef NEARDUP_JOIN_PREDICATE_CLAUSE_H
#define NEARDUP_JOIN_PREDICATE_CLAUSE_H

#include "kinds/kind.h"

/*
 * Returns whether the expression is a predicate, or a measure compared with a constant, and fills
 * in the clause. A constant out of range is refused, so that the predicate raises its error when it
 * is called; and `hamming(x, y) <= n`, which empty sets satisfy, unlike hamming_le.
 */
extern bool PredicateClauseOf(Node *expression, PredicateClause *clause);

/*
 * Returns the threshold of the measure, given the value of the clause's threshold, which is not
 * NULL. The kind and the comparison come from the clause.
 */
extern double PredicateThresholdOf(const Kind *kind, int comparison, Oid type, Datum value);

/* Returns the threshold to assume where the planner does not know the clause's own. */
extern double PredicateTypicalThreshold(const PredicateClause *clause);

#endif
