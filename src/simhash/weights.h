/*
 * weights.h
 *		Tokens with float8 weights.
 */
#ifndef NEARDUP_WEIGHTS_H
#define NEARDUP_WEIGHTS_H

#include "sketch/bit_sums.h"

/*
 * Adds a token, its weight rounded to a multiple of 2^-20. NaN and infinity raise
 * invalid_parameter_value, a total of 2^43 numeric_value_out_of_range.
 */
extern void WeightedTokenAdd(BitSums *sums, int64 token, float8 weight);

/* Raises numeric_value_out_of_range. */
extern void WeightsOutOfRange(void);

#endif
