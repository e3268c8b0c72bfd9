/*
 * edit_selectivity.h
 *		Estimates of the number of texts within an edit distance.
 */
#ifndef NEARDUP_STRINGS_EDIT_SELECTIVITY_H
#define NEARDUP_STRINGS_EDIT_SELECTIVITY_H

#include "nodes/pathnodes.h"

/* Fraction of the rows, or for a join of the pairs. */
extern Selectivity EditSelectivity(PlannerInfo *root, Node *x, Node *y, double max_distance,
								   int relation);

/* Mean length of an argument, in bytes. */
extern double TextArgumentLength(PlannerInfo *root, Node *argument);

/* The distance to assume where it is unknown. */
#define TYPICAL_EDIT_DISTANCE 2

#endif
