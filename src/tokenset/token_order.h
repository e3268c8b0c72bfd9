/*
 * token_order.h
 *		A fixed order of tokens, and the prefixes of sets in it.
 *
 * Let x and y have at least α tokens in common, and sort both by one order of all tokens. Then
 * their prefixes, the first |x| - α + 1 tokens of x and the first |y| - α + 1 of y, have a token in
 * common. For behind the first common token, at least α - 1 other common ones follow in both sets.
 * So similar sets can be found by the tokens of prefixes alone. They make few false candidates if
 * frequent tokens come last.
 *
 * The order need not follow the frequencies exactly, but it must be the same for all sets that are
 * compared, and must not change as long as prefixes are stored.
 */
#ifndef NEARDUP_TOKEN_ORDER_H
#define NEARDUP_TOKEN_ORDER_H

#include "tokenset/tokenset.h"

typedef struct TokenOrder TokenOrder;

/*
 * Returns the order in which all other tokens come first, by their hash, and then the frequent
 * ones, as the array has them. If the array repeats a token, its first place counts. The order is
 * in the current memory context, until TokenOrderFree.
 */
extern TokenOrder *TokenOrderCreate(const Token *frequent, Size count);
extern void TokenOrderFree(TokenOrder *order);

/*
 * Returns the length of the prefix of a set of `count` tokens, which serves all similar sets on either
 * side: 0 if no set is similar to it, `count` under containment. Sets that are similar without a
 * common token, small ones under hamming, are not found by prefixes.
 */
extern int32 TokenPrefixLength(Predicate predicate, int32 count);

/* Stores the first `length` tokens of a set in the order; it has at least as many. */
extern void TokenPrefix(const TokenOrder *order, const Tokenset *set, int32 length, Token *prefix);

#endif
