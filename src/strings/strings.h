/*
 * strings.h
 *		Metrics of two texts, as SQL functions.
 */
#ifndef NEARDUP_STRINGS_H
#define NEARDUP_STRINGS_H

#include "fmgr.h"

/* invalid_parameter_value if it is negative. */
extern uint32 MaxEditDistanceOrError(int32 distance);

/* SQL functions that the planner's join recognizes. */
extern Datum edit_within(PG_FUNCTION_ARGS);
extern Datum edit_distance(PG_FUNCTION_ARGS);

#endif
