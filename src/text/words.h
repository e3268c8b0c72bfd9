/*
 * words.h
 *		The words of a normalized text.
 *
 * Words stand between blanks. Scripts written without spaces give overlapping pairs of characters
 * with their marks, as in Lucene's CJKAnalyzer.
 */
#ifndef NEARDUP_WORDS_H
#define NEARDUP_WORDS_H

#include "text/bytes.h"
#include "text/tokens.h"

typedef struct WordReader
{
	const uint8 *next;
	const uint8 *end;
	const uint8 *previous; /* first character of the next pair, or NULL */
} WordReader;

extern void WordReaderInit(WordReader *reader, ByteSpan normalized);

/* The next word, within the text; false at the end. */
extern bool WordReaderNext(WordReader *reader, ByteSpan *word);

/* Whether there may be characters of a script without spaces. */
extern bool WordsMayOverlap(ByteSpan normalized);

extern void TokensOfWords(ByteSpan normalized, TokenList *list);

#endif
