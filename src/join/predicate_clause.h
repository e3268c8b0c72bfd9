/*
 * predicate_clause.h
 *		Which conditions of a query say that two sets, or two simhashes, are
 *		similar.
 */
#ifndef NEARDUP_JOIN_PREDICATE_CLAUSE_H
#define NEARDUP_JOIN_PREDICATE_CLAUSE_H

#include "fmgr.h"
#include "nodes/nodes.h"

#include "measure/measure.h"

/* measure(x, y) reaches the threshold. */
typedef struct PredicateClause
{
	bool of_simhashes; /* the measure is the Hamming distance of their bits */
	Measure measure;
	Node *x;
	Node *y;
	Oid function;
	Node *threshold; /* of type float8 or int4; NULL for neardup.similarity_threshold */
} PredicateClause;

/*
 * Whether the expression is one of the predicates, as a function or as the
 * operator %, or a measure compared with a constant threshold, in either
 * order; or simhash_within, or <~> of simhashes at most a constant. A threshold that is a constant
 * out of range makes none: to raise the error is the predicate's own business. Nor does a
 * comparison of hamming of sets, which an empty set can satisfy, where the predicate is false.
 */
extern bool PredicateClauseOf(Node *expression, PredicateClause *clause);

/* The C function behind a function of so many arguments, where it can be one of ours; else NULL. */
extern PGFunction FunctionBehind(Oid function, int arguments);

#endif
