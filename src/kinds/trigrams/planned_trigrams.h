/*
 * planned_trigrams.h
 *		What the planner knows of joins of texts by their trigrams.
 */
#ifndef NEARDUP_JOIN_PLANNED_TRIGRAMS_H
#define NEARDUP_JOIN_PLANNED_TRIGRAMS_H

#include "kinds/planned_kind.h"

extern const PlannedKind planned_trigrams;

/* Fills in the clause if the expression says that pg_trgm finds two texts similar. */
extern bool TrigramClauseOf(Node *expression, PredicateClause *clause);

#endif
