/*
 * token_counts.h
 *		In how many rows each token occurs: the state of common_tokens.
 *
 * Two forms of one value. The flat one is a bytea that travels between
 * workers and nodes; the expanded one is a hash table inside one aggregate.
 */
#ifndef NEARDUP_TOKEN_COUNTS_H
#define NEARDUP_TOKEN_COUNTS_H

#include "tokenset/tokenset.h"

/* Expanded counts. The fraction is the aggregate's argument, carried along. */
typedef struct TokenCounts TokenCounts;

/* Tokens from which on counts are better expanded than flat. */
#define TOKEN_COUNTS_EXPAND 512

/* Flat counts of one row. */
extern bytea *TokenCountsOfRow(const Tokenset *set, double fraction);

/*
 * Flat counts of both sides' rows. Like all that takes flat counts, it checks
 * them first, since anybody can make a bytea: invalid_binary_representation.
 * invalid_parameter_value where the fractions differ.
 */
extern bytea *TokenCountsMerge(bytea *a, bytea *b);

/* Upper bound of the tokens of flat counts, unchecked. */
extern Size TokenCountsSize(const bytea *counts);

/* Expanded counts in a new child of the context. */
extern TokenCounts *TokenCountsExpand(bytea *counts, MemoryContext parent);

/* The expanded counts behind a datum, or NULL where it is anything else. */
extern TokenCounts *TokenCountsOfDatum(Datum value, bool writable);

/* The read-write pointer to expanded counts. */
extern Datum TokenCountsDatum(TokenCounts *counts);

/* Add one row, or the rows of flat counts; errors as with TokenCountsMerge. */
extern void TokenCountsAddRow(TokenCounts *counts, const Tokenset *set, double fraction);
extern void TokenCountsAdd(TokenCounts *counts, bytea *added);

/*
 * Tokens in more than the fraction of the rows, and with each token all of
 * its occurrence numbers that occur at all.
 */
extern Tokenset *TokenCountsCommon(TokenCounts *counts);

#endif
