/*
 * token_order.h
 *		A fixed order of tokens, and the prefixes of sets in it.
 *
 * Similar sets share a token of their prefixes if all use one order, and few others do if frequent
 * tokens come last. The order need not know all frequencies, but it must not change.
 */
#ifndef NEARDUP_TOKEN_ORDER_H
#define NEARDUP_TOKEN_ORDER_H

#include "tokenset/tokenset.h"

typedef struct TokenOrder TokenOrder;

/*
 * All tokens but these by their hash, then these as they stand, each where it is first. In the
 * current memory context.
 */
extern TokenOrder *TokenOrderCreate(const Token *frequent, Size count);
extern void TokenOrderFree(TokenOrder *order);

/*
 * Tokens of the set's prefix: 0 if no set is similar, all if the measure is asymmetric. Sets that
 * are similar without a common token, small ones under hamming, are not found by prefixes.
 */
extern int32 TokenPrefixLength(Predicate predicate, int32 count);

/* The set's first `length` tokens in the order. */
extern void TokenPrefix(const TokenOrder *order, const Tokenset *set, int32 length, Token *prefix);

#endif
