/*
 * strings.h
 *		Metrics of two texts, as SQL functions.
 */
#ifndef NEARDUP_STRINGS_H
#define NEARDUP_STRINGS_H

#include "fmgr.h"

/* Returns a greatest edit distance; raises invalid_parameter_value if it is negative. */
extern uint32 MaxEditDistanceOrError(int32 distance);

/* SQL functions, declared for join/node, which recognizes clauses by their addresses. */
extern Datum edit_within(PG_FUNCTION_ARGS);
extern Datum edit_distance(PG_FUNCTION_ARGS);

#endif
