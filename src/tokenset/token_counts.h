/*
 * token_counts.h
 *		Expanded token counts: a hash table inside one aggregate. Errors as FlatCountsMerge.
 */
#ifndef NEARDUP_TOKEN_COUNTS_H
#define NEARDUP_TOKEN_COUNTS_H

#include "tokenset/flat_counts.h"

typedef struct TokenCounts TokenCounts;

/* Tokens in more than the fraction of the rows, with their numbered occurrences. */
extern Tokenset *TokenCountsCommon(TokenCounts *counts);

/* Of an aggregate (state, set, …), not strict; and of two states, strict. */
extern Datum TokenCountsTransition(FunctionCallInfo fcinfo, double fraction);
extern Datum TokenCountsCombine(FunctionCallInfo fcinfo);

/* The counts of a state, to be read only. */
extern TokenCounts *TokenCountsOfState(Datum state);

extern int64 TokenCountsRows(const TokenCounts *counts);

/* A palloc'd copy of the counts from `least` on, in the order of tokens. */
extern TokenCount *TokenCountsSorted(const TokenCounts *counts, int64 least, Size *count);

#endif
