/*
 * hint_clause.h
 *		The function similarity_hint, and what its calls say.
 */
#ifndef NEARDUP_KINDS_HINT_CLAUSE_H
#define NEARDUP_KINDS_HINT_CLAUSE_H

#include "kinds/kind.h"

/* The arguments: x, y, comparison, threshold, and weights of a weighted measure. */
#define HINT_ARGUMENTS 4
#define HINT_WEIGHTED_ARGUMENTS 5

/* The argument of the hint of an operator by a setting: the condition itself. */
#define HINT_CONDITION_ARGUMENTS 1

/* Whether an expression is a hint, which is true of all rows of which its condition is. */
extern bool IsSimilarityHint(Node *expression);

/* Reads the arguments of a hint as a clause; returns false if there is no such condition. */
extern bool HintClauseRead(Oid function, List *args, PredicateClause *clause);

/* Returns whether a hint of a comparison, as a clause, is the one of a condition. */
extern bool HintIsOf(const PredicateClause *hint, const PredicateClause *condition);

/* Returns the cast of a threshold's type to float8, if it raises no error, else InvalidOid. */
extern Oid HintCast(Oid type);

/*
 * Returns a threshold as an expression of type float8; NULL where a cast to that type might raise an
 * error.
 */
extern Node *HintThreshold(Node *threshold);

#endif
