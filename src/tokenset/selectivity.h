/*
 * selectivity.h
 *		Selectivity of token set operators.
 */
#ifndef NEARDUP_SELECTIVITY_H
#define NEARDUP_SELECTIVITY_H

#include "nodes/pathnodes.h"

#include "tokenset/tokenset.h"

/* A predicate over two sets. */
typedef struct SimilarityClause
{
	Predicate predicate;
	bool threshold_is_known;
	Oid function; /* that evaluates the clause */
	List *args;
} SimilarityClause;

/* Fraction of the rows, or for a join of the pairs. */
extern Selectivity SimilaritySelectivity(PlannerInfo *root, const SimilarityClause *clause,
										 bool is_join, int relation, SpecialJoinInfo *join);

/* The threshold to assume where it is unknown. */
extern double TypicalThreshold(Measure measure);

/* Mean number of tokens of an argument. */
extern double ArgumentSize(PlannerInfo *root, Node *argument);

/* Tokens that an index scan looks up for a call of tokenset_query; 0 where GIN counts them itself. */
extern double QueryLookups(PlannerInfo *root, FuncExpr *call);

#endif
