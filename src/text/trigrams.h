/*
 * trigrams.h
 *		The trigrams of a text by the rules of pg_trgm.
 */
#ifndef NEARDUP_TRIGRAMS_H
#define NEARDUP_TRIGRAMS_H

#include "text/tokens.h"

/*
 * Appends the trigrams of a text in the encoding of the database, with repetitions. A trigram has
 * three bytes; the first one is the highest byte of the token.
 */
extern void TokensOfTrigrams(const char *data, Size length, TokenList *list);

#endif
