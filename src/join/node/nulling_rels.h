/*
 * nulling_rels.h
 *		The nulling relations of a planned join's columns.
 */
#ifndef NEARDUP_JOIN_NULLING_RELS_H
#define NEARDUP_JOIN_NULLING_RELS_H

#include "nodes/pathnodes.h"

/*
 * Returns the columns and place holders that the result of a join refers to, also within place
 * holders that no input returns; `inputs` is a list of TargetEntry.
 */
extern List *NullingRelsOfResult(const RelOptInfo *join, const List *inputs);

/* Returns a copy of an expression or list, with the nulling relations of the result's columns. */
extern void *NullingRelsSet(const List *result, const void *expression);

#endif
