/*
 * threshold.h
 *		Thresholds and measure names as a user gives them.
 */
#ifndef NEARDUP_THRESHOLD_H
#define NEARDUP_THRESHOLD_H

#include "measure/measure.h"

/* The predicate; invalid_parameter_value where the threshold is out of the measure's range. */
extern Predicate PredicateOrError(Measure measure, double threshold);

/* The measure of this name; invalid_parameter_value where there is none. */
extern Measure MeasureOrError(const char *name);

#endif
