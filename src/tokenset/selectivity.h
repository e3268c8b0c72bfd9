/*
 * selectivity.h
 *		How many sets are similar: estimates for the planner.
 */
#ifndef NEARDUP_SELECTIVITY_H
#define NEARDUP_SELECTIVITY_H

#include "nodes/pathnodes.h"

#include "tokenset/tokenset.h"

/* A clause: a predicate over two arguments, as estimators are given it. */
typedef struct SimilarityClause
{
	Predicate predicate;
	bool threshold_is_known; /* else the threshold is any valid one */
	Oid function;			 /* that evaluates it */
	List *args;				 /* the two sets */
} SimilarityClause;

/* Fraction of the rows, or with `is_join` of the pairs, for which the clause is true. */
extern Selectivity SimilaritySelectivity(PlannerInfo *root, const SimilarityClause *clause,
										 bool is_join, int relation, SpecialJoinInfo *join);

/* A threshold to reckon with where it is not known. */
extern double TypicalThreshold(Measure measure);

/*
 * The tokens of a query that an index on the column had better look up: the
 * rarest, as many as leave few candidates. NULL where it is not known which
 * they are, or all.
 */
extern Tokenset *TokensToLookUp(PlannerInfo *root, Node *column, Predicate predicate,
								const Tokenset *value, bool value_is_right);

/* How many tokens an argument has. */
extern double ArgumentSize(PlannerInfo *root, Node *argument);

#endif
