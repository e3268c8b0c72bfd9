/*
 * weight_bounds.h
 *		Bounds of weighted measures, in double precision.
 *
 * The extent of a set is the sum of its weights, under cosine the root of the sum of squares: in
 * extents, the bounds of both measures have one form.
 *
 * Sums of weights are too fine for bounds that move by ones, and a value in double precision need
 * not grow where the exact one hardly does. So filters use a threshold that is lower by one part in
 * 2^40, far more than all rounding: what reaches the threshold passes them. The predicate decides.
 */
#ifndef NEARDUP_WEIGHT_BOUNDS_H
#define NEARDUP_WEIGHT_BOUNDS_H

#include <math.h>

#include "measure/measure.h"

typedef struct WeightBounds
{
	bool of_cosine;
	double threshold; /* lowered */
	double share;	  /* t / (1 + t) */
} WeightBounds;

static inline WeightBounds
WeightBoundsOf(Predicate predicate)
{
	double t = predicate.threshold * (1 - 1.0 / (INT64CONST(1) << 40));

	return (WeightBounds){
		.of_cosine = predicate.measure == MEASURE_IDF_COSINE, .threshold = t, .share = t / (1 + t)};
}

static inline double
WeightExtent(const WeightBounds *bounds, int64 total)
{
	return bounds->of_cosine ? sqrt((double) total) : (double) total;
}

static inline double
WeightTotal(const WeightBounds *bounds, double extent)
{
	return bounds->of_cosine ? extent * extent : extent;
}

/* α: a similar pair has at least this overlap. */
static inline double
WeightLeastOverlap(const WeightBounds *bounds, double x, double y)
{
	return bounds->of_cosine ? bounds->threshold * x * y : bounds->share * (x + y);
}

/* A similar y has at least this extent. */
static inline double
WeightLeastExtent(const WeightBounds *bounds, double x)
{
	return bounds->threshold * x;
}

/* Greatest extent of a y whose α with x an overlap reaches. */
static inline double
WeightGreatestExtent(const WeightBounds *bounds, double x, double overlap)
{
	return bounds->of_cosine ? overlap / (bounds->threshold * x) : overlap / bounds->share - x;
}

/* Greatest weight of the tokens in one of two similar sets only. Grows with y, up to x. */
static inline double
WeightDifference(const WeightBounds *bounds, double x, double y)
{
	return WeightTotal(bounds, x) + WeightTotal(bounds, y) - 2 * WeightLeastOverlap(bounds, x, y);
}

#endif
