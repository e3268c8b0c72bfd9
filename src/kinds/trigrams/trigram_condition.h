/*
 * trigram_condition.h
 *		The conditions of a query that pg_trgm finds two texts similar.
 */
#ifndef NEARDUP_TRIGRAM_CONDITION_H
#define NEARDUP_TRIGRAM_CONDITION_H

#include "kinds/kind.h"

/*
 * Fills in the clause of a condition that has one of the forms that trigram_condition.c names;
 * returns false if the expression is none. The comparison is a SingleComparison or
 * COMPARED_BY_SETTING, the threshold of type real or double precision.
 */
extern bool TrigramClauseOf(Node *expression, PredicateClause *clause);

#endif
