/*
 * words.h
 *		The words of a normalized text.
 *
 * A word is what stands between two blanks. Chinese, Japanese, Thai and their like are written
 * without spaces between words, and dividing them would need a dictionary. As Lucene's CJKAnalyzer
 * does, each two neighbouring characters are taken for a word, so that "東京都" gives "東京" and
 * "京都". A character includes the marks that follow it, and one without a neighbour of such a
 * script is a word by itself.
 */
#ifndef NEARDUP_WORDS_H
#define NEARDUP_WORDS_H

#include "text/bytes.h"
#include "text/tokens.h"

/* A place in a normalized text, which must stay as it is. */
typedef struct WordReader
{
	const uint8 *next;
	const uint8 *end;
	const uint8 *previous; /* where the next pair of characters begins, before `next`; or NULL */
	bool is_single;		   /* each such character is a word: they are not paired */
} WordReader;

/* Places the reader before the first word. */
extern void WordReaderInit(WordReader *reader, ByteSpan normalized);

/* Sets *word to the span of the next word; false at the end of the text. */
extern bool WordReaderNext(WordReader *reader, ByteSpan *word);

/*
 * Sets *run to the next word of a script with spaces, or to the next run of characters of scripts
 * without, which is not divided into pairs; false at the end of the text. A reader is used either
 * with this function or with WordReaderNext.
 */
extern bool WordReaderNextRun(WordReader *reader, ByteSpan *run, bool *is_unspaced);

/* Returns the end of the character at p, which is before `end`, and of the marks behind it. */
extern const uint8 *EndOfCharacter(const uint8 *p, const uint8 *end);

/* Returns whether words may overlap: the text may have characters of scripts without spaces. */
extern bool WordsMayOverlap(ByteSpan normalized);

/* Appends the token of each word. */
extern void TokensOfWords(ByteSpan normalized, TokenList *list);

#endif
