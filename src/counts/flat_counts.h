/*
 * flat_counts.h
 *		Flat token counts: the state of an aggregate as a bytea.
 *
 * Aggregates of tokens count, for each token, the rows whose set has it. As a bytea, the state can
 * travel between parallel workers, and as text between the nodes of a cluster. Anybody can make a
 * bytea, so it is checked before use.
 */
#ifndef NEARDUP_FLAT_COUNTS_H
#define NEARDUP_FLAT_COUNTS_H

#include "tokenset/tokenset.h"

typedef struct TokenCount
{
	Token token;
	int64 count;   /* of rows with the token */
	uint32 status; /* as simplehash.h requires of an entry */
} TokenCount;

/* A flat form that has been checked. The entries stay in the bytea. */
typedef struct FlatCounts
{
	double fraction; /* the argument of common_tokens; 0 for token_weights */
	int64 rows;
	const char *entries;
	Size count;
} FlatCounts;

/* Checks a bytea. Raises invalid_binary_representation unless it is a flat form. */
extern FlatCounts FlatCountsCheck(const bytea *bytes);

/* Returns the counts of a single row, as a new bytea. Errors are those of FlatCountsSize. */
extern bytea *FlatCountsOfRow(const Tokenset *set, double fraction);

/*
 * Returns the sum of two counts as a new bytea. Checks both; errors are also those of
 * CountsCheckSameFraction, CountsAddRows and FlatCountsSize.
 */
extern bytea *FlatCountsMerge(bytea *a, bytea *b);

/* Returns an upper bound of the number of tokens, without a check. */
extern Size FlatCountsMostTokens(const bytea *counts);

/*
 * Returns the size for `count` tokens, in bytes. Raises program_limit_exceeded if it is above 1 GB.
 */
extern Size FlatCountsSize(Size count);

/*
 * Write the header, and one token with its count; return the place of the next token. The caller
 * writes tokens in ascending order, and sets the size.
 */
extern char *FlatCountsWriteHeader(bytea *bytes, double fraction, int64 rows);
extern char *FlatCountsWrite(char *to, Token token, int64 count);

/* Returns the token and the count at index i. */
extern TokenCount FlatCountsRead(const FlatCounts *flat, Size i);

/* Raises invalid_parameter_value if the fractions differ. */
extern void CountsCheckSameFraction(double a, double b);

/* Returns a + b. Raises numeric_value_out_of_range if it exceeds an int64. */
extern int64 CountsAddRows(int64 a, int64 b);

#endif
