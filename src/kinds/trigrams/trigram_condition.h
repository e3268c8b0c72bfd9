/*
 * trigram_condition.h
 *		The conditions of a query that pg_trgm finds two texts similar.
 */
#ifndef NEARDUP_TRIGRAM_CONDITION_H
#define NEARDUP_TRIGRAM_CONDITION_H

#include "nodes/primnodes.h"

/* How a condition's threshold is compared: a SingleComparison, or this. */
#define TRIGRAM_BY_SETTING (-1)

/* x and y are similar, in one of the forms that trigram_condition.c names. */
typedef struct TrigramCondition
{
	Node *x;
	Node *y;
	Oid function;	 /* of pg_trgm */
	int comparison;	 /* a SingleComparison, or TRIGRAM_BY_SETTING */
	Node *threshold; /* of type real or double precision; a constant where the setting decides */
} TrigramCondition;

/* Fills in the condition that an expression is; returns false if it is none. */
extern bool TrigramConditionOf(Node *expression, TrigramCondition *condition);

/*
 * Returns the threshold of the Jaccard similarity in double precision that two sets of trigrams
 * reach exactly where the condition holds, as SingleComparisonThreshold does. The setting is read
 * now.
 */
extern double TrigramJaccardThreshold(int comparison, double threshold);

#endif
