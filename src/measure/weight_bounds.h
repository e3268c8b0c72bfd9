/*
 * weight_bounds.h
 *		Bounds of the weighted measures, in double precision.
 *
 * With w(x) the sum of the weights of x, and v(x) the sum of their squares, the measures are
 *
 *		idf_jaccard		w(x ∩ y) / (w(x) + w(y) - w(x ∩ y))
 *		idf_cosine		v(x ∩ y) / sqrt(v(x) v(y))
 *
 * The total of a set is w(x) or v(x), which is what a weighted overlap is measured in as well. The
 * extent of a set is w(x) under jaccard and sqrt(v(x)) under cosine: with extents, the bounds of
 * both measures have one form. For example, a similar y has an extent of at least t times the
 * extent of x under both.
 *
 * Sums of weights are too fine for bounds that move by ones, as the bounds of measure.c do. Nor
 * need a value in double precision grow where the exact one grows by very little. So the filters
 * use a threshold that is lower by one part in 2^40, which is far more than all rounding errors of
 * these formulas together: whatever reaches the real threshold passes the filters, and the
 * predicate decides about the rest.
 */
#ifndef NEARDUP_WEIGHT_BOUNDS_H
#define NEARDUP_WEIGHT_BOUNDS_H

#include <float.h>
#include <math.h>

#include "measure/measure.h"

typedef struct WeightBounds
{
	bool of_cosine;
	double threshold; /* t, lowered as described above */
	double share;	  /* t / (1 + t), by which α of jaccard is multiplied */
} WeightBounds;

/* Returns the bounds of a predicate over a weighted measure. */
static inline WeightBounds
WeightBoundsOf(Predicate predicate)
{
	double t = predicate.threshold * (1 - 1.0 / (INT64CONST(1) << 40));

	return (WeightBounds){
		.of_cosine = predicate.measure == MEASURE_IDF_COSINE, .threshold = t, .share = t / (1 + t)};
}

/* Rounds up to single precision, so that a bound stays safe. */
static inline float
WeightRoundedUp(double weight)
{
	return (float) (weight * (1 + FLT_EPSILON));
}

/* Returns the extent of a set with this total. */
static inline double
WeightExtent(const WeightBounds *bounds, int64 total)
{
	return bounds->of_cosine ? sqrt((double) total) : (double) total;
}

/* Returns the total of a set with this extent. */
static inline double
WeightTotal(const WeightBounds *bounds, double extent)
{
	return bounds->of_cosine ? extent * extent : extent;
}

/* Returns α, which the weighted overlap of similar sets of extents x and y at least reaches. */
static inline double
WeightLeastOverlap(const WeightBounds *bounds, double x, double y)
{
	return bounds->of_cosine ? bounds->threshold * x * y : bounds->share * (x + y);
}

/* Returns the least extent of a set that is similar to one of extent x. */
static inline double
WeightLeastExtent(const WeightBounds *bounds, double x)
{
	return bounds->threshold * x;
}

/* Returns the greatest extent of a y whose α with x is not above a weighted overlap. */
static inline double
WeightGreatestExtent(const WeightBounds *bounds, double x, double overlap)
{
	return bounds->of_cosine ? overlap / (bounds->threshold * x) : overlap / bounds->share - x;
}

/*
 * Returns the greatest total of the tokens that only one of two similar sets has. It grows with y
 * over all y that can be similar to x.
 */
static inline double
WeightDifference(const WeightBounds *bounds, double x, double y)
{
	return WeightTotal(bounds, x) + WeightTotal(bounds, y) - 2 * WeightLeastOverlap(bounds, x, y);
}

#endif
