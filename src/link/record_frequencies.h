/*
 * record_frequencies.h
 *		How many rows have a value or a part of one: the most frequent ones are listed, the others are rare.
 *
 * A list is a part of what was learned from a table (learned_model.h), so it has a bounded size, whatever the
 * size of the table.
 */
#ifndef NEARDUP_LINK_RECORD_FREQUENCIES_H
#define NEARDUP_LINK_RECORD_FREQUENCIES_H

#include "text/tokens.h"

typedef struct ListedFrequency
{
	Token token;
	uint64 rows;
} ListedFrequency;

typedef struct RecordFrequencies
{
	uint64 all;	 /* the rows of which it tells */
	uint64 rare; /* what is not listed counts as if so many rows had it */
	uint32 count;
	ListedFrequency *listed; /* by token */
} RecordFrequencies;

/*
 * Returns the list of at most `most` of these frequencies, of `all` rows: the greatest ones, and of equal ones
 * those of the least tokens. The others are rare: they count as a row's token of them does in the mean.
 * The array of the frequencies becomes that of the list.
 */
extern RecordFrequencies RecordFrequenciesList(ListedFrequency *frequencies, uint32 count,
											   uint32 most, uint64 all);

/* Puts a list in order that was read; returns false if a token is listed twice. */
extern bool RecordFrequenciesSort(RecordFrequencies *frequencies);

/* Returns how many rows have a token. */
extern uint64 RecordFrequency(const RecordFrequencies *frequencies, Token token);

#endif
