/*
 * nulling_rels.h
 *		The marks of columns that outer joins may have set to NULL.
 */
#ifndef NEARDUP_NULLING_RELS_H
#define NEARDUP_NULLING_RELS_H

#include "nodes/pathnodes.h"

/*
 * The columns that the result of a join refers to. `inputs`: the columns of its inputs, a list of
 * TargetEntry.
 */
extern List *NullingRelsOfResult(const RelOptInfo *join, const List *inputs);

/* A copy of an expression or list whose columns have the marks of the result's. */
extern void *NullingRelsSet(const List *result, const void *expression);

#endif
