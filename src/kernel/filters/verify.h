/*
 * verify.h
 *		Verification: the overlap of a candidate, as far as it decides.
 */
#ifndef NEARDUP_KERNEL_VERIFY_H
#define NEARDUP_KERNEL_VERIFY_H

#include "kernel/host.h"

/* A canonical record with its indexed or probing prefix. */
typedef struct PrefixedRecord
{
	const uint32 *tokens;
	uint32 size;
	uint32 prefix;
} PrefixedRecord;

/*
 * Returns |x ∩ y| if it is at least `needed`, and some value below `needed` otherwise. Sequences
 * ascend.
 */
extern int64 OverlapAtLeast(JoinHost *host, const uint32 *x, uint32 x_size, const uint32 *y,
							uint32 y_size, int64 needed);

/*
 * Returns whether two ascending sequences share a token. A pair of records meets at each common
 * token of their prefixes, and must be emitted once. The list engine emits it at the first common
 * token: at token x[i] = y[j], it asks whether x[0 .. i - 1] and y[0 .. j - 1] share a token.
 */
extern bool HaveCommonToken(JoinHost *host, const uint32 *x, uint32 x_size, const uint32 *y,
							uint32 y_size);

/*
 * Returns |x ∩ y| if it is at least least_overlap, and some value below that otherwise, given that
 * the prefixes share prefix_overlap tokens. This is Algorithm 2, with its upper bound: the overlap
 * cannot exceed the overlap of the prefixes by more than the suffix of one of the records.
 */
extern int64 VerifyOverlap(JoinHost *host, const PrefixedRecord *x, const PrefixedRecord *y,
						   uint32 prefix_overlap, int64 least_overlap);

/* What a weighted join adds up for a token: its weight, or the square of its weight. */
typedef struct TokenTerms
{
	const uint32 *weights; /* the weight of each rank */
	bool squares;
} TokenTerms;

/*
 * Returns the weight of x ∩ y, or less if the tokens of x or of y that are not common weigh more
 * than its slack.
 */
extern int64 WeightedOverlap(JoinHost *host, TokenTerms terms, const uint32 *x, uint32 x_size,
							 const uint32 *y, uint32 y_size, double x_slack, double y_slack);

#endif
