/*
 * token_counts.h
 *		Expanded token counts: a hash table inside one aggregate. Errors as FlatCountsMerge.
 */
#ifndef NEARDUP_TOKEN_COUNTS_H
#define NEARDUP_TOKEN_COUNTS_H

#include "tokenset/tokenset.h"

typedef struct TokenCounts TokenCounts;

extern TokenCounts *TokenCountsExpand(bytea *bytes, MemoryContext parent);

/* NULL unless the datum is an expanded object of this type. */
extern TokenCounts *TokenCountsOfDatum(Datum value, bool writable);

/* A read-write pointer. */
extern Datum TokenCountsDatum(TokenCounts *counts);

extern void TokenCountsAddRow(TokenCounts *counts, const Tokenset *set, double fraction);
extern void TokenCountsAdd(TokenCounts *counts, bytea *added);

/* Tokens in more than the fraction of the rows, with their numbered occurrences. */
extern Tokenset *TokenCountsCommon(TokenCounts *counts);

#endif
