/*
 * predicate_clause.h
 *		Conditions of a query that two sets, simhashes or texts are similar.
 */
#ifndef NEARDUP_JOIN_PREDICATE_CLAUSE_H
#define NEARDUP_JOIN_PREDICATE_CLAUSE_H

#include "fmgr.h"
#include "nodes/nodes.h"

#include "measure/measure.h"

/* measure(x, y) reaches the threshold. */
typedef struct PredicateClause
{
	bool of_simhashes; /* else of sets, or of texts if the measure is MEASURE_EDIT */
	Measure measure;
	Node *x;
	Node *y;
	Oid function;
	Node *threshold; /* of type float8 or int4 */
} PredicateClause;

/*
 * Whether the expression is a predicate, or a measure compared with a constant. Not for a constant
 * out of range: the predicate raises the error. Nor for `hamming(x, y) <= n`, which empty sets
 * satisfy, unlike hamming_le.
 */
extern bool PredicateClauseOf(Node *expression, PredicateClause *clause);

/* The C function behind one with that many arguments; NULL if it cannot be ours. */
extern PGFunction FunctionBehind(Oid function, int arguments);

#endif
