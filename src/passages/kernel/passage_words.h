/*
 * passage_words.h
 *		The words of all rows, one after the other: tokens, and places in the texts.
 *
 * They are in memory up to a limit, then in a file. The words of the row that is being added are
 * always in memory, one after the other.
 */
#ifndef NEARDUP_PASSAGES_PASSAGE_WORDS_H
#define NEARDUP_PASSAGES_PASSAGE_WORDS_H

#include "kernel/host.h"

/* A word. A text has fewer than 2^30 characters, so that places leave bits for marks. */
typedef struct PassageWord
{
	uint64 token;
	uint32 from; /* its first character, from 1; may have PASSAGE_WORD_BEGINS */
	uint32 to;	 /* the character after it; may have PASSAGE_WORD_ENDS */
} PassageWord;

#define PASSAGE_WORD_BEGINS ((uint32) 1 << 31) /* the first word of a sentence */
#define PASSAGE_WORD_ENDS ((uint32) 1 << 31)   /* the last one */

/* The character at which a word begins, and the character after the word. */
#define PASSAGE_WORD_FROM(word) ((word)->from & ~PASSAGE_WORD_BEGINS)
#define PASSAGE_WORD_TO(word) ((word)->to & ~PASSAGE_WORD_ENDS)

/* The number of words that one page of the file holds. */
#define PASSAGE_PAGE (JOIN_FILE_PAGE / sizeof(PassageWord))

typedef struct PassageWords
{
	JoinHost *host;
	uint64 most; /* words in memory */
	uint64 count;

	PassageWord *tail; /* the words that are not in the file */
	uint64 tail_first; /* the number of the first one, a multiple of PASSAGE_PAGE */
	uint64 tail_capacity;
	void *file; /* NULL while all are in memory */
} PassageWords;

extern void PassageWordsInit(PassageWords *words, JoinHost *host, Size most_bytes);

/* Ensures room for one more word; what PassageWordsAdd calls. */
extern void PassageWordsGrow(PassageWords *words);

static inline void
PassageWordsAdd(PassageWords *words, uint64 token, uint32 from, uint32 to)
{
	uint64 place = words->count - words->tail_first;

	if (place == words->tail_capacity)
		PassageWordsGrow(words);
	words->tail[place] = (PassageWord){.token = token, .from = from, .to = to};
	words->count++;
}

/* Ends a row: words beyond the limit go to the file. */
extern void PassageWordsEndRow(PassageWords *words);

/* Called after the last row, and before any reader is made. */
extern void PassageWordsFinish(PassageWords *words);

extern void PassageWordsFree(PassageWords *words);

/*
 * Reads words by their numbers. It keeps pages of those that are in the file, each in the slot that
 * follows from its number.
 */
typedef struct PassageReader
{
	PassageWords *store;
	const PassageWord *words; /* the words from `first` on, `count` of them */
	uint64 first;
	uint64 count;
	PassageWord *pages; /* NULL if all words are in memory */
	uint64 *numbers;	/* of each slot: the number of its page, from 1; 0 if it has none */
	uint64 slots;
} PassageReader;

/*
 * Begins to read. The pages that readers keep share the memory that the words may take: this reader
 * gets so many eighths of it, the most one that reads here and there.
 */
extern void PassageReaderInit(PassageReader *reader, PassageWords *words, uint32 eighths);

/* Moves to the page of a word, which is read unless the reader has kept it. */
extern void PassageReaderMove(PassageReader *reader, uint64 number);

/* Returns a word, which is valid until the reader moves. */
static inline const PassageWord *
PassageWordAt(PassageReader *reader, uint64 number)
{
	if (unlikely(number - reader->first >= reader->count))
		PassageReaderMove(reader, number);
	return &reader->words[number - reader->first];
}

static inline uint64
PassageTokenAt(PassageReader *reader, uint64 number)
{
	return PassageWordAt(reader, number)->token;
}

extern void PassageReaderFree(PassageReader *reader);

#endif
