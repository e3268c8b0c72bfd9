/*
 * trgm_ops.h
 *		Functions of the operator class trgm_ops.
 */
#ifndef NEARDUP_TRGM_OPS_H
#define NEARDUP_TRGM_OPS_H

#include "fmgr.h"

#include "kinds/index_class.h"

/* trgm_set(text): the set of a text. The planner recognizes the operator class by it. */
extern Datum trgm_set(PG_FUNCTION_ARGS);

/* What a search is for, given the right side of an operator of the class. */
extern void TrigramOperand(int strategy, Datum argument, IndexOperand *operand);

/* trgm_query(value, comparison, threshold): what an index is asked for by a comparison. */
extern Datum trgm_query(PG_FUNCTION_ARGS);

#endif
