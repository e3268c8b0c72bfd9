/*
 * threshold.h
 *		Thresholds and names of measures as users give them.
 */
#ifndef NEARDUP_THRESHOLD_H
#define NEARDUP_THRESHOLD_H

#include "measure/measure.h"

/*
 * Returns the predicate of a measure and a threshold. Raises invalid_parameter_value for a
 * threshold that is out of the measure's range.
 */
extern Predicate PredicateOrError(Measure measure, double threshold);

/* Returns the measure of a name, weighted or not. Raises invalid_parameter_value if unknown. */
extern Measure MeasureOrError(const char *name);

/* Returns the measure of a name, not a weighted one. Raises invalid_parameter_value if unknown. */
extern Measure SetMeasureOrError(const char *name);

#endif
