/*
 * passages.h
 *		Texts as rows of words, and the runs of words that they have in common.
 *
 * Rows are added one by one. Then PassagesFindGrams finds all runs of `words` words, called grams
 * here, that may be in more than one place. What is built on it asks for common runs of two rows
 * (common_runs.h), for the words of each row that repeat earlier ones (repeats.h), or for what many
 * rows have (frequent_grams.h).
 *
 * How: while rows are read, their grams of fewer words are winnowed (winnow.h), and the
 * chosen hashes sorted. A gram that is in two places has the same chosen hash in both, so one whose
 * chosen hash occurs once is unique. Only of the others are hashes computed and sorted. Grams of
 * equal hash then follow each other, and what is said of them is verified by their tokens.
 *
 * Words, and both sorts, are in memory up to the limit, then in files. Where rows begin is always in
 * memory.
 */
#ifndef NEARDUP_PASSAGES_PASSAGES_H
#define NEARDUP_PASSAGES_PASSAGES_H

#include "kernel/number_sort.h"
#include "passages/kernel/passage_words.h"
#include "passages/kernel/winnow.h"

/*
 * The words get the limit divided by PASSAGES_BY_WORDS, and each of two sorts at a time the limit
 * divided by PASSAGES_BY_SORT.
 */
#define PASSAGES_BY_WORDS 2
#define PASSAGES_BY_SORT 4

/* The row of one in so many words is noted: a search for the row of a word begins there. */
#define PASSAGE_HINT 64

typedef struct Passages
{
	JoinHost *host;
	Size limit;
	Winnow winnow;
	uint64 *ring;
	PassageWords words;
	uint64 *starts; /* where each row starts; one more entry tells where the last row ends */
	uint32 row_count;
	uint32 row_capacity;
	uint32 *hints; /* the row of each PASSAGE_HINT-th word */
	uint64 hint_count;
	uint64 hint_capacity;
	NumberSort seeds; /* chosen hashes, and the grams that have chosen each */
	NumberSort
		grams; /* hashes of grams that may be repeated, and the places of their first words */
} Passages;

/*
 * Begins with no row. Runs have from 1 to WINNOW_MOST_WORDS words. The limit is in bytes; SIZE_MAX for
 * none.
 */
extern void PassagesInit(Passages *passages, JoinHost *host, Size limit, uint32 words);

/* Adds a word to the row that is being read. */
static inline void
PassagesAddWord(Passages *passages, uint64 token, uint32 from, uint32 to)
{
	PassageWordsAdd(&passages->words, token, from, to);
}

/* Ends the row whose words were added since the last one. There are at most 2^31 - 1. */
extern void PassagesEndRow(Passages *passages);

/* Returns the number of words of the row that is being read. */
static inline uint64
PassagesRowWords(const Passages *passages)
{
	return passages->words.count - passages->starts[passages->row_count];
}

/* Finds the grams. Called once, after the last row. */
extern void PassagesFindGrams(Passages *passages);

/* Whether words or grams have gone to files. */
extern bool PassagesUseFiles(const Passages *passages);

/* Returns the limit, in bytes, that would have kept them in memory. */
extern Size PassagesNeeded(const Passages *passages);

/* Returns the row that has a word; the row is `row`, or a later one. */
extern uint32 PassagesRowOf(const Passages *passages, uint64 place, uint32 row);

/* Returns the bytes that a further sort may take. */
static inline Size
PassagesSortBytes(const Passages *passages)
{
	return passages->limit / PASSAGES_BY_SORT;
}

extern void PassagesFree(Passages *passages);

#endif
