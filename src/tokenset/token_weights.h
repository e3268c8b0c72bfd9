/*
 * token_weights.h
 *		The type token_weights: a weight for each token.
 *
 * It lists the weights of some tokens, and has one for all others. Weights are in the units of
 * measure/token_weight.h.
 */
#ifndef NEARDUP_TOKEN_WEIGHTS_H
#define NEARDUP_TOKEN_WEIGHTS_H

#include "measure/token_weight.h"
#include "tokenset/tokenset.h"

/* A token with its weight, from 0 to TOKEN_WEIGHT_MAX. */
typedef struct ListedWeight
{
	Token token;
	uint32 weight;
	uint32 unused;
} ListedWeight;

/* In memory and on disk. The tokens are distinct and ascend. */
typedef struct TokenWeights
{
	int32 vl_len_; /* varlena header (do not touch directly) */
	uint8 version;
	uint8 unused[3];
	uint32 other; /* weight of a token that is not listed */
	uint32 unused_too;
	ListedWeight listed[FLEXIBLE_ARRAY_MEMBER];
} TokenWeights;

#define TOKEN_WEIGHTS_VERSION 1
#define TOKEN_WEIGHTS_HEADER_SIZE offsetof(TokenWeights, listed)

/* Returns the number of tokens that are listed. */
static inline int32
TokenWeightsCount(const TokenWeights *weights)
{
	return (VARSIZE(weights) - TOKEN_WEIGHTS_HEADER_SIZE) / sizeof(ListedWeight);
}

#define DatumGetTokenWeights(d) TokenWeightsCheck((TokenWeights *) PG_DETOAST_DATUM(d))
#define PG_GETARG_TOKEN_WEIGHTS(n) DatumGetTokenWeights(PG_GETARG_DATUM(n))

/* Returns the weights. Raises data_corrupted if their version is unknown. */
extern TokenWeights *TokenWeightsCheck(TokenWeights *weights);

/*
 * Returns new weights in the current memory context, whose list is all zero for the caller to fill
 * in. Raises program_limit_exceeded above 1 GB.
 */
extern TokenWeights *TokenWeightsAllocate(Size count, uint32 other);

/* Returns the end of the list. */
static inline const ListedWeight *
TokenWeightsEnd(const TokenWeights *weights)
{
	return weights->listed + TokenWeightsCount(weights);
}

/*
 * Returns the first entry from `from` on whose token is not below `token`; TokenWeightsEnd if there
 * is none. The cost is logarithmic in the distance.
 */
extern const ListedWeight *TokenWeightsSeek(const TokenWeights *weights, const ListedWeight *from,
											Token token);

/*
 * Returns the weight of a token. Tokens are asked for in ascending order, the first one with *from
 * at the beginning of the list, and *from moves on.
 */
static inline uint32
TokenWeightsFind(const TokenWeights *weights, const ListedWeight **from, Token token)
{
	*from = TokenWeightsSeek(weights, *from, token);
	return *from < TokenWeightsEnd(weights) && (*from)->token == token ? (*from)->weight
																	   : weights->other;
}

#endif
