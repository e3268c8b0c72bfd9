/*
 * text_statistics.h
 *		What the planner knows of a text: its length, and how many distinct ones there are.
 *
 * `relation` is the relation of the argument's column, as examine_variable takes it, 0 for any.
 * root may be NULL: then nothing is known of columns.
 */
#ifndef NEARDUP_KINDS_TEXT_STATISTICS_H
#define NEARDUP_KINDS_TEXT_STATISTICS_H

#include "nodes/pathnodes.h"
#include "utils/selfuncs.h"

/* Calls examine_variable; without a root, describes a variable of which nothing is known. */
extern void TextArgumentOpen(PlannerInfo *root, Node *argument, int relation,
							 VariableStatData *variable);

/* Returns the mean length of an argument in bytes, a default if it is unknown. */
extern double TextArgumentLength(PlannerInfo *root, Node *argument);

/*
 * Returns the number of distinct values of an argument, 0 unless it is a column or an expression of
 * columns. Without statistics all rows are taken to be distinct.
 */
extern double TextArgumentDistinct(PlannerInfo *root, Node *argument, int relation);

#endif
