/*
 * words.h
 *		The words of a normalized text.
 *
 * A word is a part between blanks. Where a script is written without spaces
 * the part is no word but a phrase, and such a run is taken as its overlapping
 * pairs of characters, as Lucene's CJKAnalyzer does; a run of one character is
 * that character. A character here is a letter with the marks on it: a pair
 * never parts a vowel sign from its consonant. A change between such a run and
 * ordinary word characters, digits among them, also ends a word.
 */
#ifndef NEARDUP_WORDS_H
#define NEARDUP_WORDS_H

#include "text/bytes.h"
#include "text/tokens.h"

typedef struct WordReader
{
	const uint8 *next;
	const uint8 *end;
	const uint8 *previous; /* within a run: the character before next */
} WordReader;

extern void WordReaderInit(WordReader *reader, ByteSpan normalized);

/* The next word, within the text; false at its end. */
extern bool WordReaderNext(WordReader *reader, ByteSpan *word);

/* Appends the token of each word. Can be cancelled. */
extern void TokensOfWords(ByteSpan normalized, TokenList *list);

#endif
