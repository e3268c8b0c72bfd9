/*
 * kept_weights.h
 *		Weights of tokens that a session has fetched, kept for the next call.
 */
#ifndef NEARDUP_KEPT_WEIGHTS_H
#define NEARDUP_KEPT_WEIGHTS_H

#include "tokenset/token_weights.h"

/*
 * Returns the weights of a datum. They are in the datum itself, or in the current memory context,
 * or kept by this file; the caller frees none of them, and asks again in its next call. Raises
 * data_corrupted if their version is unknown.
 */
extern const TokenWeights *TokenWeightsOfDatum(Datum datum);

#endif
