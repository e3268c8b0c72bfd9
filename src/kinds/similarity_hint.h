/*
 * similarity_hint.h
 *		What the planner is told beside a comparison: how many rows satisfy it, and by which index.
 */
#ifndef NEARDUP_SIMILARITY_HINT_H
#define NEARDUP_SIMILARITY_HINT_H

#include "kinds/kind.h"

/* Whether an expression is a hint, which is true of all rows of which its comparison is. */
extern bool IsSimilarityHint(Node *expression);

/* Reads the arguments of a hint as a clause; returns false if there is no such comparison. */
extern bool SimilarityHintClause(Oid function, List *args, PredicateClause *clause);

/* Returns whether a hint, as a clause, is the one of a condition. */
extern bool SimilarityHintIsOf(const PredicateClause *hint, const PredicateClause *condition);

/* Returns the cast of a threshold's type to float8, if it raises no error, else InvalidOid. */
extern Oid SimilarityHintCast(Oid type);

/* Called when the library is loaded, after all that adds paths to relations. */
extern void SimilarityHintInit(void);

#endif
