/*
 * weights.c
 *		Weights as integers.
 *
 * Sums of float8 depend on the order of addition, so that a simhash would depend on the order of
 * rows and on the number of workers. So weights are rounded to units of 2^-20 and summed in int64.
 */
#include "postgres.h"

#include <math.h>

#include "simhash/weights.h"

/* Units of the weight 1. */
#define UNITS_PER_ONE (1 << 20)

/* 2^63: the first whole number that an int64 cannot hold. */
#define UNITS_END 9223372036854775808.0

void
WeightsOutOfRange(void)
{
	ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE), errmsg("weights are too large"),
					errdetail("The sum of their absolute values must be less than %lld.",
							  (long long) (PG_INT64_MAX / UNITS_PER_ONE + 1))));
}

void
WeightedTokenAdd(BitSums *sums, int64 token, float8 weight)
{
	float8 units;

	if (isnan(weight) || isinf(weight))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("weight of a token must be a finite number")));
	units = rint(weight * UNITS_PER_ONE);
	if (!(units > -UNITS_END && units < UNITS_END) || !BitSumsAddToken(sums, token, (int64) units))
		WeightsOutOfRange();
}
