/*
 * edit_selectivity.h
 *		Estimates of the number of texts within an edit distance.
 */
#ifndef NEARDUP_STRINGS_EDIT_SELECTIVITY_H
#define NEARDUP_STRINGS_EDIT_SELECTIVITY_H

#include "nodes/pathnodes.h"

#include "measure/measure.h"

/*
 * Returns the estimated fraction of rows for which the texts x and y are within the distance; for a
 * join, of the pairs of rows, or in a semijoin of the rows of its left side. `relation` and root are as
 * in text_statistics.h; `join` is NULL for the rows of a relation.
 */
extern Selectivity EditSelectivity(PlannerInfo *root, Node *x, Node *y, double max_distance,
								   int relation, const SpecialJoinInfo *join);

/* Returns the value of an expression that is a distance; if it is not known, a typical one. */
extern double EditDistanceEstimate(PlannerInfo *root, Node *distance);

/* The right operand of text @~~ tokenset_query. */
typedef struct EditOperand
{
	Node *value; /* the text that is given, or what no statistics are found of */
	double length;
	Predicate predicate;
} EditOperand;

/* Returns what is known of an operand: a constant, a call of edit_query, or any other expression. */
extern EditOperand EditOperandOf(PlannerInfo *root, Node *operand);

/* Returns the predicate of the sets of all texts within a distance. */
static inline Predicate
EditIndexPredicate(double max_distance)
{
	return (Predicate){
		.measure = MEASURE_EDIT, .threshold = max_distance, .gram_length = EDIT_INDEX_GRAM_LENGTH};
}

/* The distance that is assumed where it is not known at planning. */
#define TYPICAL_EDIT_DISTANCE 2

#endif
