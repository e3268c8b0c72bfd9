/*
 * set_search.h
 *		The planner's estimate of a search of an index for similar sets.
 */
#ifndef NEARDUP_KINDS_SET_SEARCH_H
#define NEARDUP_KINDS_SET_SEARCH_H

#include "kinds/kind.h"

/* Estimates the search that a clause asks of an index of sets. */
extern SearchEstimate SetSearch(PlannerInfo *root, const OpExpr *clause, Oid opfamily);

/* Estimates a search for the sets that satisfy a predicate together with one of so many tokens. */
extern SearchEstimate SetSearchFor(Predicate predicate, double tokens);

/*
 * Returns the predicate of an operand of @~: its value, or as much as the planner knows of the call
 * that makes it. Otherwise a typical threshold is assumed.
 */
extern Predicate SetSearchPredicate(PlannerInfo *root, Node *operand);

#endif
