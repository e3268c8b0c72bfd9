/*
 * repeats.h
 *		The words of each row that repeat earlier ones.
 *
 * A gram is repeated where an equal one is in an earlier row, or begins earlier in the same row. A
 * word is repeated if it is in a repeated gram.
 */
#ifndef NEARDUP_PASSAGES_REPEATS_H
#define NEARDUP_PASSAGES_REPEATS_H

#include "passages/kernel/passages.h"

/* Characters of a text, from 1; the end is exclusive. */
typedef struct CharacterRange
{
	uint32 from;
	uint32 to;
} CharacterRange;

/* What a row repeats. */
typedef struct RepeatedRow
{
	uint32 row;
	CharacterRange *ranges; /* ascending; they do not touch in words */
	uint32 range_count;
	uint64 words; /* how many words are in the ranges */

	/*
	 * The longest run of repeated grams whose first places follow each other as well, of several the
	 * first: the row that has the words first, and where.
	 */
	uint32 first_row;
	CharacterRange first;
} RepeatedRow;

typedef void (*TakeRepeatedRow)(void *context, const RepeatedRow *row);

typedef struct RepeatsSpec
{
	uint32 first_row;	  /* rows before this one are earlier ones, and are not taken */
	bool whole_sentences; /* ranges are cut down to whole sentences, as words mark them */
	TakeRepeatedRow take;
	void *context;
} RepeatsSpec;

/* Takes the rows that have repeated words, in their order. */
extern void RepeatsFind(Passages *passages, const RepeatsSpec *spec);

#endif
