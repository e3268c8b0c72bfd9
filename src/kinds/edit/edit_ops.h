/*
 * edit_ops.h
 *		Functions of the operator class edit_ops: an index of texts by their q-grams.
 */
#ifndef NEARDUP_KINDS_EDIT_OPS_H
#define NEARDUP_KINDS_EDIT_OPS_H

#include "fmgr.h"

/* edit_tokens(text): the set of a text. The planner recognizes the operator class by it. */
extern Datum edit_tokens(PG_FUNCTION_ARGS);

/* edit_query(value, max_distance): what an index is asked for. */
extern Datum edit_query(PG_FUNCTION_ARGS);

#endif
