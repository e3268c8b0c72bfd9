/*
 * token_counts.h
 *		Token counts as the state of an aggregate: how many rows have each token.
 *
 * The functions take states of the SQL type bytea, flat or expanded. Errors are those of
 * FlatCountsMerge.
 */
#ifndef NEARDUP_TOKEN_COUNTS_H
#define NEARDUP_TOKEN_COUNTS_H

#include "counts/flat_counts.h"

typedef struct TokenCounts TokenCounts;

/*
 * Returns, as a new set, the tokens that occur in more than the fraction of the rows, with all
 * their numbered occurrences.
 */
extern Tokenset *TokenCountsCommon(TokenCounts *counts);

/*
 * The transition function of an aggregate, (state, set, ...), which must not be STRICT: it makes
 * the first state, and skips NULL. And the combine function of two states, which must be STRICT.
 */
extern Datum TokenCountsTransition(FunctionCallInfo fcinfo, double fraction);
extern Datum TokenCountsCombine(FunctionCallInfo fcinfo);

/* Returns the counts of a state, which the caller must not change. */
extern TokenCounts *TokenCountsOfState(Datum state);

/* Returns the number of rows. */
extern int64 TokenCountsRows(const TokenCounts *counts);

/* Returns the tokens that at least `least` rows have, ascending, in a new array of *count. */
extern TokenCount *TokenCountsListed(TokenCounts *counts, int64 least, Size *count);

#endif
