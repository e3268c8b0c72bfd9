/*
 * heaviest_tokens.h
 *		The heaviest tokens of a set, which sets that are similar by weights must share.
 */
#ifndef NEARDUP_HEAVIEST_TOKENS_H
#define NEARDUP_HEAVIEST_TOKENS_H

#include "fmgr.h"
#include "tokenset/token_weights.h"

/*
 * Returns some tokens of a set as a new set. Each set that satisfies a weighted predicate with the
 * given set has at least *least_overlap of these tokens, which is 1 or more. The result is empty if
 * no set can satisfy it. Raises program_limit_exceeded for a set that is too large to be weighed.
 */
extern Tokenset *HeaviestTokens(const Tokenset *set, Predicate predicate,
								const TokenWeights *weights, int32 *least_overlap);

/* An SQL function, declared for the planner's estimates, which recognize its calls by the address. */
extern Datum heaviest_tokens_query(PG_FUNCTION_ARGS);

#endif
