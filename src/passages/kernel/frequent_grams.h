/*
 * frequent_grams.h
 *		Grams that many rows have: boilerplate.
 *
 * A gram is frequent if more than a given number of rows have it. Grams are told apart by their
 * hashes of 64 bits here.
 */
#ifndef NEARDUP_PASSAGES_FREQUENT_GRAMS_H
#define NEARDUP_PASSAGES_FREQUENT_GRAMS_H

#include "passages/kernel/passages.h"

typedef struct FrequentGrams
{
	uint64 *hashes; /* ascending */
	uint64 count;
	uint64 capacity;
	NumberSort places; /* the first place of each gram, and how many rows have it */
} FrequentGrams;

/* Finds the grams that more than `most_rows` rows have. */
extern void FrequentGramsFind(FrequentGrams *frequent, Passages *passages, uint64 most_rows);

extern bool FrequentGramsHave(const FrequentGrams *frequent, uint64 hash);

/* A stretch of a text, each gram of which is frequent and stands here first. */
typedef struct FrequentPassage
{
	uint32 row;
	uint32 from; /* the first character, from 1 */
	uint32 to;	 /* the character after it */
	uint64 words;
	uint64 rows; /* that have its rarest gram */
} FrequentPassage;

typedef void (*TakeFrequentPassage)(void *context, const FrequentPassage *passage);

/* Takes the longest such stretches, in the order of the rows. Called once. */
extern void FrequentGramsList(FrequentGrams *frequent, Passages *passages, TakeFrequentPassage take,
							  void *context);

extern void FrequentGramsFree(FrequentGrams *frequent);

#endif
