/*
 * placed_words.h
 *		The words of a text, in order, as tokens with their places in the text as it stands.
 *
 * Words are the words of the normalized text (words.h), except that each character of a script
 * without spaces, with its marks, is a word by itself: words do not overlap. A word's place is the
 * source that it was normalized from.
 */
#ifndef NEARDUP_PLACED_WORDS_H
#define NEARDUP_PLACED_WORDS_H

#include "text/bytes.h"
#include "text/normalize.h"
#include "text/tokens.h"
#include "text/words.h"

/* Longer words of ASCII are read as other text is. */
#define PLACED_WORD_ROOM 256

typedef struct PlacedWord
{
	Token token;
	uint32 from; /* its first character, from 1 */
	uint32 to;	 /* the character after it */

	/* Only if sentences are read; then `from` is where a sentence begins and `to` where it ends. */
	bool begins; /* the first word of a sentence */
	bool ends;	 /* the last one */
} PlacedWord;

typedef struct PlacedWordReader
{
	const uint8 *start; /* of the text */
	const uint8 *next;	/* what is not read */
	const uint8 *end;
	bool counts_bytes; /* each byte is a character */

	/* Characters before a byte of the text. */
	const uint8 *counted;
	uint32 characters;

	/* A piece of the text with other characters than ASCII, normalized; no piece if NULL. */
	const uint8 *piece;
	ByteBuffer normalized;
	SourceMap map;
	Size span; /* the one that comes next */
	WordReader words;

	/* Sentences: the word that was read last, which is returned when its end is known. */
	bool has_sentences;
	bool has_word;
	PlacedWord word;
	const uint8 *word_end; /* of its source */

	uint8 folded[PLACED_WORD_ROOM];
} PlacedWordReader;

/* Begins to read a text, which must stay as it is. */
extern void PlacedWordReaderInit(PlacedWordReader *reader, ByteSpan utf8, bool has_sentences);

/* Sets *word to the next word; false at the end of the text, where all memory is freed. */
extern bool PlacedWordReaderNext(PlacedWordReader *reader, PlacedWord *word);

#endif
