/*
 * qgrams.h
 *		Q-grams: sequences of q consecutive characters, as tokens.
 */
#ifndef NEARDUP_QGRAMS_H
#define NEARDUP_QGRAMS_H

#include "text/bytes.h"
#include "text/tokens.h"

/*
 * Appends the q-grams of a normalized text, blanks included. A text of fewer than q characters is
 * one q-gram; an empty one has none. Raises invalid_parameter_value for q < 1.
 */
extern void TokensOfQgrams(ByteSpan normalized, int32 q, TokenList *list);

#endif
