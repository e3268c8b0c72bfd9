/*
 * weights.h
 *		Tokens with weights of type float8.
 */
#ifndef NEARDUP_WEIGHTS_H
#define NEARDUP_WEIGHTS_H

#include "simhash/bit_sums.h"

/*
 * Adds a token of this weight, rounded to the nearest multiple of 2^-20, of
 * two the even one. invalid_parameter_value for NaN and infinity,
 * numeric_value_out_of_range where the weights' absolute values sum to 2^43 or more.
 */
extern void WeightedTokenAdd(BitSums *sums, int64 token, float8 weight);

/* Raises numeric_value_out_of_range. */
extern void WeightsOutOfRange(void);

#endif
