/*
 * selectivity.h
 *		Selectivity of the operators and predicates of token sets.
 */
#ifndef NEARDUP_SELECTIVITY_H
#define NEARDUP_SELECTIVITY_H

#include "nodes/pathnodes.h"

#include "tokenset/tokenset.h"

/* A similarity predicate over two sets. */
typedef struct SimilarityClause
{
	Predicate predicate;
	bool threshold_is_known;
	Oid function; /* the one that evaluates it, whose leakproofness counts */
	List *args;	  /* the two sets */
} SimilarityClause;

/*
 * Returns the estimated fraction of rows that satisfy the clause; for a join, of the pairs of rows.
 * `relation` is the relation of the restriction, as get_restriction_variable takes it; `join` may
 * be NULL.
 */
extern Selectivity SimilaritySelectivity(PlannerInfo *root, const SimilarityClause *clause,
										 bool is_join, int relation, SpecialJoinInfo *join);

/* Returns the threshold that is assumed where it is not known at planning. */
extern double TypicalThreshold(Measure measure);

/*
 * Sets the predicate of a query, from the first and the third argument of tokenset_query or
 * heaviest_tokens_query. A threshold that is not known becomes a typical one. Returns false if the
 * measure is not known.
 */
extern bool QueryConditionEstimate(Node *name, Node *threshold, Predicate *predicate);

/* Returns the mean number of tokens of an argument. root may be NULL. */
extern double ArgumentSize(PlannerInfo *root, Node *argument);

/*
 * Returns how many postings the lists of a value's tokens have for each row of a column. NULL stands for a
 * value that is not known, and is drawn from the column. Without statistics it is the most there can be.
 */
extern double PostingsPerRow(PlannerInfo *root, Node *column, const Tokenset *value);

/*
 * Returns how many tokens an index scan looks up for a call of tokenset_query; 0 for a call that
 * the planner can fold to a constant, whose tokens GIN counts itself. root may be NULL.
 */
extern double QueryLookups(PlannerInfo *root, FuncExpr *call);

#endif
