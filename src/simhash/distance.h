/*
 * distance.h
 *		The Hamming distance of simhashes, as SQL functions.
 */
#ifndef NEARDUP_SIMHASH_DISTANCE_H
#define NEARDUP_SIMHASH_DISTANCE_H

#include "fmgr.h"

/* Returns its argument, a greatest distance; raises invalid_parameter_value if it is negative. */
extern int32 SimhashMaxDistanceOrError(int32 distance);

/* SQL functions, declared for join/node, which recognizes clauses by their addresses. */
extern Datum simhash_distance(PG_FUNCTION_ARGS);
extern Datum simhash_distance_float8(PG_FUNCTION_ARGS);
extern Datum simhash_within(PG_FUNCTION_ARGS);

#endif
