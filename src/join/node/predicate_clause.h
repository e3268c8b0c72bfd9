/*
 * predicate_clause.h
 *		Conditions of a query that two sets, simhashes or texts are similar.
 */
#ifndef NEARDUP_JOIN_PREDICATE_CLAUSE_H
#define NEARDUP_JOIN_PREDICATE_CLAUSE_H

#include "fmgr.h"

#include "join/node/planned_kind.h"

/*
 * Whether the expression is a predicate, or a measure compared with a constant. Not for a constant
 * out of range: the predicate raises the error. Nor for `hamming(x, y) <= n`, which empty sets
 * satisfy, unlike hamming_le.
 */
extern bool PredicateClauseOf(Node *expression, PredicateClause *clause);

/* Returns the number of a kind, by which a plan knows it, and the kind of a number. */
extern int PlannedKindNumber(const PlannedKind *kind);
extern const PlannedKind *PlannedKindOf(int number);

/* Returns the C function behind one with that many arguments; NULL if it cannot be ours. */
extern PGFunction FunctionBehind(Oid function, int arguments);

#endif
