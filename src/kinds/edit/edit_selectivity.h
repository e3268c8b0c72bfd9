/*
 * edit_selectivity.h
 *		Estimates of the number of texts within an edit distance.
 */
#ifndef NEARDUP_STRINGS_EDIT_SELECTIVITY_H
#define NEARDUP_STRINGS_EDIT_SELECTIVITY_H

#include "nodes/pathnodes.h"

/*
 * Returns the estimated fraction of rows for which the texts x and y are within the distance; for a
 * join, of the pairs of rows. `relation` is that of the column as examine_variable takes it, 0 for
 * any. root may be NULL: then nothing is known of columns.
 */
extern Selectivity EditSelectivity(PlannerInfo *root, Node *x, Node *y, double max_distance,
								   int relation);

/* Returns the mean length of an argument in bytes, a default if it is unknown. root may be NULL. */
extern double TextArgumentLength(PlannerInfo *root, Node *argument);

/*
 * Returns the number of distinct values of an argument, 0 unless it is a column or an expression of
 * columns. Without statistics all rows are taken to be distinct. `relation` and root are as above.
 */
extern double TextArgumentDistinct(PlannerInfo *root, Node *argument, int relation);

/* Returns the value of an expression that is a distance; if it is not known, a typical one. */
extern double EditDistanceEstimate(PlannerInfo *root, Node *distance);

/* The right operand of text @~ edit_query: its text as an expression, and its distance. */
typedef struct EditOperand
{
	Node *value;
	double max_distance;
} EditOperand;

/*
 * Returns what is known of an operand: a constant, or a call of edit_query. Of any other expression
 * it returns the expression itself as the text, of which no statistics are found.
 */
extern EditOperand EditOperandOf(PlannerInfo *root, Node *operand);

/* The distance that is assumed where it is not known at planning. */
#define TYPICAL_EDIT_DISTANCE 2

#endif
