/*
 * verify.h
 *		Verification: the overlap of candidates.
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

/* |x ∩ y|, or less than needed where that is certain. */
extern int64 OverlapAtLeast(JoinHost *host, const uint32 *x, uint32 x_size, const uint32 *y,
							uint32 y_size, int64 needed);

/*
 * Verify (Algorithm 2) for prefixes that share prefix_overlap tokens. Inexact below least_overlap.
 */
extern int64 VerifyOverlap(JoinHost *host, const PrefixedRecord *x, const PrefixedRecord *y,
						   uint32 prefix_overlap, int64 least_overlap);

/* A token's weight, or its square: what a weighted join adds up. */
typedef struct TokenTerms
{
	const uint32 *weights; /* by rank */
	bool squares;
} TokenTerms;

/*
 * Weight of x ∩ y, or less where it is certain that so much of x or y, in weight, is not common.
 */
extern int64 WeightedOverlap(JoinHost *host, TokenTerms terms, const uint32 *x, uint32 x_size,
							 const uint32 *y, uint32 y_size, double x_slack, double y_slack);

#endif
