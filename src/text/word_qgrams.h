/*
 * word_qgrams.h
 *		Q-grams of each word, as tokens.
 *
 * A word is padded with q - 1 blanks before it and one behind it, as pg_trgm does for q = 3: "cat"
 * gives "  c", " ca", "cat" and "at ". So the order of words does not count, and the beginning of a
 * word counts more than its end. With q = 1 there is no padding.
 *
 * Scripts without spaces have no words to pad. There a run of characters gives pairs of characters,
 * as for words.h, and two more: a blank and the first one, the last one and a blank. So names of
 * two or three characters that differ in one of them have something in common.
 */
#ifndef NEARDUP_WORD_QGRAMS_H
#define NEARDUP_WORD_QGRAMS_H

#include "text/bytes.h"
#include "text/tokens.h"

/* The greatest q: the first q-grams of a word are mostly blanks, which are hashed too. */
#define WORD_QGRAM_LONGEST 100

/* The parts of the normalized text that the q-grams cover, without the padding. */
typedef struct WordQgramPlaces
{
	ByteSpan *spans;
	Size count;
	Size capacity;
} WordQgramPlaces;

/*
 * Appends the q-grams of the words of a normalized text. Raises invalid_parameter_value for q < 1
 * or q > WORD_QGRAM_LONGEST.
 */
extern void TokensOfWordQgrams(ByteSpan normalized, int32 q, TokenList *list);

/*
 * The same, and sets *places to the place of each appended token; the array is in the current
 * memory context.
 */
extern void TokensOfWordQgramsPlaced(ByteSpan normalized, int32 q, TokenList *list,
									 WordQgramPlaces *places);

#endif
