/*
 * threshold.c
 *		Thresholds and names of measures as users give them.
 *
 * measure.c, which has no errors, knows what is valid; here what is not valid becomes an error that
 * names the valid range or the known names.
 */
#include "postgres.h"

#include "utils/float.h"

#include "measure/threshold.h"

Predicate
PredicateOrError(Measure measure, double threshold)
{
	Predicate predicate = {.measure = measure, .threshold = threshold};

	if (MeasureThresholdIsValid(measure, threshold))
		return predicate;

	if (measure == MEASURE_OVERLAP)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("overlap threshold must be a whole number from 1 to %d", PG_INT32_MAX),
				 errdetail("The threshold is %s.", float8out_internal(threshold))));
	if (MeasureIsDistance(measure))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s threshold must be a whole number from 0 to %d",
							   MeasureName(measure), PG_INT32_MAX),
						errdetail("The threshold is %s.", float8out_internal(threshold))));
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("similarity threshold must be greater than 0 and at most 1"),
					errdetail("The threshold is %s.", float8out_internal(threshold))));
}

Measure
SetMeasureOrError(const char *name)
{
	Measure measure;

	if (!MeasureByName(name, &measure))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("unrecognized similarity measure \"%s\"", name),
						errhint("The measures are jaccard, cosine, dice, overlap, hamming and "
								"containment.")));
	return measure;
}

Measure
MeasureOrError(const char *name)
{
	Measure measure;

	if (!MeasureByName(name, &measure) && !WeightedMeasureByName(name, &measure))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("unrecognized similarity measure \"%s\"", name),
						errhint("The measures are jaccard, cosine, dice, overlap, hamming, "
								"containment, idf_jaccard and idf_cosine.")));
	return measure;
}
