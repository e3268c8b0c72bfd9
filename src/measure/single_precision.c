/*
 * single_precision.c
 *		Comparisons of a Jaccard similarity in single precision, as thresholds in double precision.
 *
 * pg_trgm divides the number of common trigrams by the number of trigrams of the union in single
 * precision, and compares the quotient, or 1 minus it, with a threshold. Our measures divide in
 * double precision. Both agree on every pair if the threshold is chosen as follows.
 *
 * The comparison holds for all similarities from some least one on, since rounding keeps the order.
 * Let s be this least number of single precision, r the one before it, and t the middle of both,
 * which is a number of double precision. A fraction c/u is rounded to s or more if it is above t,
 * and to r or less if it is below. It cannot equal t: t is m/2^k with an odd m of 25 bits, so c
 * would be a multiple of m and at least 2^24, but it is less than u, or both are equal and the
 * fraction is 1. And c/u differs from t by at least 1/(u 2^k), which is more than 2^-50 times t, so
 * that rounding c/u to double precision does not bring it to the other side of t.
 */
#include "c.h"

#include <math.h>

#include "measure/single_precision.h"

bool
SingleComparisonHolds(SingleComparison comparison, float similarity, double threshold)
{
	float distance = (float) (1.0 - similarity);

	switch (comparison)
	{
		case SINGLE_SIMILARITY_GT:
			return similarity > threshold;
		case SINGLE_DISTANCE_LE:
			return isnan(threshold) || distance <= threshold;
		case SINGLE_DISTANCE_LT:
			return isnan(threshold) || distance < threshold;
		default:
			return similarity >= threshold;
	}
}

/* Returns the number of single precision with these bits; those from 0 to 1 are in their order. */
static float
float_of_bits(uint32 bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

double
SingleComparisonThreshold(SingleComparison comparison, double threshold)
{
	const float one = 1;
	uint32 fails = 0;
	uint32 holds;

	memcpy(&holds, &one, sizeof(holds));
	if (SingleComparisonHolds(comparison, 0, threshold))
		return 0;
	if (!SingleComparisonHolds(comparison, 1, threshold))
		return SINGLE_NEVER;
	while (holds - fails > 1)
	{
		uint32 middle = fails + (holds - fails) / 2;

		if (SingleComparisonHolds(comparison, float_of_bits(middle), threshold))
			holds = middle;
		else
			fails = middle;
	}
	return ((double) float_of_bits(fails) + (double) float_of_bits(holds)) / 2;
}
