/*
 * token_weight.h
 *		The weight of a token by its rarity, for weighted measures.
 */
#ifndef NEARDUP_TOKEN_WEIGHT_H
#define NEARDUP_TOKEN_WEIGHT_H

/* Weights are multiples of 2^-16. */
#define TOKEN_WEIGHT_BITS 16
#define TOKEN_WEIGHT_ONE ((uint32) 1 << TOKEN_WEIGHT_BITS)

/* ln of more records than there can be. */
#define TOKEN_WEIGHT_MAX (32 * TOKEN_WEIGHT_ONE)

/* Squares of greatest weights then add up to no more than 2^62. */
#define TOKEN_WEIGHT_MAX_SET (1 << 20)

/*
 * ln(records / frequency) to the nearest multiple; 0 for a token of all records. A frequency of 0
 * counts as 1. The same on every machine.
 */
extern uint32 TokenWeight(uint64 records, uint64 frequency);

/* What a measure adds up. */
static inline int64
TokenWeightTerm(uint32 weight, bool squares)
{
	return squares ? (int64) weight * weight : (int64) weight;
}

#endif
