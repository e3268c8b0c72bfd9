/*
 * verify.h
 *		The overlap of candidate pairs.
 */
#ifndef NEARDUP_JOIN_VERIFY_H
#define NEARDUP_JOIN_VERIFY_H

#include "join/kernel/host.h"

/* Whether two ascending sequences have a token in common. */
typedef bool (*CommonTokenTest)(JoinHost *host, const uint32 *x, uint32 x_size, const uint32 *y,
								uint32 y_size);

/* All that this processor can run, the plainest first; returns how many there are. */
#define COMMON_TOKEN_TESTS 2
extern int CommonTokenTestsAvailable(CommonTokenTest *tests);

/* The fastest for this processor. */
extern CommonTokenTest CommonTokenTestBest(void);

/* A canonical record, and how many of its first tokens the index has met. */
typedef struct PrefixedRecord
{
	const uint32 *tokens;
	uint32 size;
	uint32 prefix;
} PrefixedRecord;

/* |x ∩ y|, or anything below needed as soon as it is certain that it is less than that. */
extern int64 OverlapAtLeast(JoinHost *host, const uint32 *x, uint32 x_size, const uint32 *y,
							uint32 y_size, int64 needed);

/*
 * Verify (Algorithm 2): the overlap of x and y, of which prefix_overlap
 * tokens were found to be common to both prefixes, all that are. Anything below
 * least_overlap means that the pair does not reach it.
 */
extern int64 VerifyOverlap(JoinHost *host, const PrefixedRecord *x, const PrefixedRecord *y,
						   uint32 prefix_overlap, int64 least_overlap);

#endif
