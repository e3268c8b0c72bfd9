/*
 * threshold.h
 *		Thresholds and measure names of a user.
 */
#ifndef NEARDUP_THRESHOLD_H
#define NEARDUP_THRESHOLD_H

#include "measure/measure.h"

/* Raises invalid_parameter_value for a threshold out of range. */
extern Predicate PredicateOrError(Measure measure, double threshold);

/* Raises invalid_parameter_value for an unknown name. */
extern Measure MeasureOrError(const char *name);

/* The same without weighted measures. */
extern Measure SetMeasureOrError(const char *name);

#endif
