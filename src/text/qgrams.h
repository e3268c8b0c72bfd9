/*
 * qgrams.h
 *		Q-grams: each so many consecutive characters, as one token.
 */
#ifndef NEARDUP_QGRAMS_H
#define NEARDUP_QGRAMS_H

#include "text/bytes.h"
#include "text/tokens.h"

/*
 * Appends the token of each q consecutive code points of a normalized text,
 * blanks included; a text shorter than that, but not empty, is one gram.
 * Raises invalid_parameter_value if q is less than 1. Can be cancelled.
 */
extern void TokensOfQgrams(ByteSpan normalized, int32 q, TokenList *list);

#endif
