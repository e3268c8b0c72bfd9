/*
 * weights.h
 *		Tokens with float8 weights.
 */
#ifndef NEARDUP_WEIGHTS_H
#define NEARDUP_WEIGHTS_H

#include "sketch/bit_sums.h"

/*
 * Adds a token with its weight, rounded to a multiple of 2^-20, to the sums, which are in these
 * units. NaN and infinity raise invalid_parameter_value; a total of absolute weights of 2^43 or
 * more raises numeric_value_out_of_range.
 */
extern void WeightedTokenAdd(BitSums *sums, int64 token, float8 weight);

/* Raises numeric_value_out_of_range: the total of absolute weights has reached 2^43. */
extern void WeightsOutOfRange(void);

#endif
