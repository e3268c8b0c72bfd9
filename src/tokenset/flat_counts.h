/*
 * flat_counts.h
 *		Flat token counts: a bytea that travels between workers and nodes.
 *
 * Anybody can make a bytea, so it is checked before use:
 * invalid_binary_representation.
 */
#ifndef NEARDUP_FLAT_COUNTS_H
#define NEARDUP_FLAT_COUNTS_H

#include "tokenset/tokenset.h"

typedef struct TokenCount
{
	Token token;
	int64 count;   /* of rows with the token */
	uint32 status; /* of a hash table's entry */
} TokenCount;

/* Checked; the entries stay in the bytea. */
typedef struct FlatCounts
{
	double fraction; /* argument of the aggregate */
	int64 rows;
	const char *entries;
	Size count;
} FlatCounts;

extern FlatCounts FlatCountsCheck(const bytea *bytes);

extern bytea *FlatCountsOfRow(const Tokenset *set, double fraction);

/* Errors of CountsCheckSameFraction, CountsAddRows and FlatCountsSize. */
extern bytea *FlatCountsMerge(bytea *a, bytea *b);

/* Upper bound of the number of tokens. */
extern Size FlatCountsMostTokens(const bytea *counts);

/* Bytes for `count` tokens; program_limit_exceeded above MaxAllocSize. */
extern Size FlatCountsSize(Size count);

/* Write the header, and one token; return the place of the next token. */
extern char *FlatCountsWriteHeader(bytea *bytes, double fraction, int64 rows);
extern char *FlatCountsWrite(char *to, Token token, int64 count);

extern TokenCount FlatCountsRead(const FlatCounts *flat, Size i);

/* invalid_parameter_value where the fractions differ. */
extern void CountsCheckSameFraction(double a, double b);

/* a + b; numeric_value_out_of_range where it exceeds an int64. */
extern int64 CountsAddRows(int64 a, int64 b);

#endif
