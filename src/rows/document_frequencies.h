/*
 * document_frequencies.h
 *		Document frequencies of all tokens of a weighted join whose rows are in files.
 */
#ifndef NEARDUP_JOIN_DOCUMENT_FREQUENCIES_H
#define NEARDUP_JOIN_DOCUMENT_FREQUENCIES_H

#include "rows/spill.h"
#include "kernel/records/records.h"

typedef struct JoinFrequencies JoinFrequencies;

/*
 * Begins to count: in the host's memory while that is below `limit` bytes, then by a sort in
 * `sort_memory` kilobytes. All else is in `context`.
 */
extern JoinFrequencies *JoinFrequenciesBegin(MemoryContext context, JoinHost *host, Size limit,
											 int sort_memory);

/* Adds the distinct int64 tokens of a row, at any alignment. */
extern void JoinFrequenciesAdd(JoinFrequencies *frequencies, const void *tokens, uint32 count);

/* Adds the frequencies of other rows. */
extern void JoinFrequenciesAddAll(JoinFrequencies *frequencies, const TokenDictionary *dictionary);

/* Called after the last row: writes the file. */
extern void JoinFrequenciesFinish(JoinFrequencies *frequencies);

/* Gives the tokens of a dictionary their frequencies in all rows. */
extern void JoinFrequenciesSet(JoinFrequencies *frequencies, TokenDictionary *dictionary);

/* Copies all rows of a file to one that is to be sorted by total weight. */
extern void JoinFrequenciesWeigh(JoinFrequencies *frequencies, JoinWeighing weighing,
								 JoinSpill *from, JoinSpill *to);

/* Returns the bytes that were written, with those of the sort. */
extern int64 JoinFrequenciesBytes(const JoinFrequencies *frequencies);

/* Closes the file; the memory remains until the context is deleted. */
extern void JoinFrequenciesEnd(JoinFrequencies *frequencies);

#endif
