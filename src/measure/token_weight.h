/*
 * token_weight.h
 *		The weight of a token by its rarity, for the weighted measures.
 *
 * The weight is the inverse document frequency ln(N / df) of a token that df of N records have: a
 * token of every record weighs nothing, and the rarer a token, the more it says. Weights are
 * integers in units of 2^-16, so that their sums are exact and do not depend on the order of
 * addition. This header needs c.h only.
 */
#ifndef NEARDUP_TOKEN_WEIGHT_H
#define NEARDUP_TOKEN_WEIGHT_H

/* The weight 1 is 2^16 units. */
#define TOKEN_WEIGHT_BITS 16
#define TOKEN_WEIGHT_ONE ((uint32) 1 << TOKEN_WEIGHT_BITS)

/* The greatest weight, 32: more than ln N for any number of records. */
#define TOKEN_WEIGHT_MAX (32 * TOKEN_WEIGHT_ONE)

/* The most tokens of a set that is weighed: the squares of the greatest weights add up to 2^62. */
#define TOKEN_WEIGHT_MAX_SET (1 << 20)

/*
 * Returns ln(records / frequency) in units of 2^-16, rounded to the nearest one and at most
 * TOKEN_WEIGHT_MAX; 0 for a token of all records. A frequency of 0 counts as 1. The result is the
 * same on every machine.
 */
extern uint32 TokenWeight(uint64 records, uint64 frequency);

/* Returns what a weighted measure adds up for a token: its weight, or for cosine the square. */
static inline int64
TokenWeightTerm(uint32 weight, bool squares)
{
	return squares ? (int64) weight * weight : (int64) weight;
}

#endif
