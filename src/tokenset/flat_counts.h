/*
 * flat_counts.h
 *		The flat form of token counts: bytes that travel between nodes.
 *
 * For token_counts.c; others use token_counts.h.
 */
#ifndef NEARDUP_FLAT_COUNTS_H
#define NEARDUP_FLAT_COUNTS_H

#include "tokenset/token_counts.h"

/* A token and the number of rows that have it. */
typedef struct TokenCount
{
	Token token;
	int64 count;
	uint32 status; /* of a hash table's entry */
} TokenCount;

/* Flat counts that were checked; they stay in the bytea. */
typedef struct FlatCounts
{
	double fraction;
	int64 rows;
	const char *entries;
	Size count;
} FlatCounts;

/* Checks the bytes, which must have a 4-byte header; invalid_binary_representation. */
extern FlatCounts FlatCountsCheck(const bytea *bytes);

/* Bytes for so many tokens; program_limit_exceeded above the limit. */
extern Size FlatCountsSize(Size count);

/* Write the header, at `bytes`, and one token, each returning where the next goes. */
extern char *FlatCountsWriteHeader(bytea *bytes, double fraction, int64 rows);
extern char *FlatCountsWrite(char *to, Token token, int64 count);

extern TokenCount FlatCountsRead(const FlatCounts *flat, Size i);

/* What must hold of two sides whose rows are added up; the sum of the rows. */
extern void CountsCheckSameFraction(double a, double b);
extern int64 CountsAddRows(int64 a, int64 b);

#endif
