/*
 * token_weights.h
 *		The type token_weights: a weight for each token.
 */
#ifndef NEARDUP_TOKEN_WEIGHTS_H
#define NEARDUP_TOKEN_WEIGHTS_H

#include "measure/token_weight.h"
#include "tokenset/tokenset.h"

typedef struct ListedWeight
{
	Token token;
	uint32 weight; /* as of TokenWeight */
	uint32 unused;
} ListedWeight;

/* In memory and on disk. Tokens ascend and are distinct. */
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

static inline int32
TokenWeightsCount(const TokenWeights *weights)
{
	return (VARSIZE(weights) - TOKEN_WEIGHTS_HEADER_SIZE) / sizeof(ListedWeight);
}

#define DatumGetTokenWeights(d) TokenWeightsCheck((TokenWeights *) PG_DETOAST_DATUM(d))
#define PG_GETARG_TOKEN_WEIGHTS(n) DatumGetTokenWeights(PG_GETARG_DATUM(n))

/* Returns the weights; data_corrupted where their version is unknown. */
extern TokenWeights *TokenWeightsCheck(TokenWeights *weights);

/* The caller fills in the list; program_limit_exceeded above 1GB. */
extern TokenWeights *TokenWeightsAllocate(Size count, uint32 other);

/* The first entry from `from` on of this token or a later one; cost logarithmic in the distance. */
extern const ListedWeight *TokenWeightsSeek(const TokenWeights *weights, const ListedWeight *from,
											Token token);

static inline const ListedWeight *
TokenWeightsEnd(const TokenWeights *weights)
{
	return weights->listed + TokenWeightsCount(weights);
}

#endif
