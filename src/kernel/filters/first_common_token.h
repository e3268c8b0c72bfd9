/*
 * first_common_token.h
 *		Whether a common token is a pair's first, where the pair counts.
 */
#ifndef NEARDUP_KERNEL_FIRST_COMMON_TOKEN_H
#define NEARDUP_KERNEL_FIRST_COMMON_TOKEN_H

#include "kernel/host.h"

/* Whether two ascending sequences share a token. */
typedef bool (*CommonTokenTest)(JoinHost *host, const uint32 *x, uint32 x_size, const uint32 *y,
								uint32 y_size);

/* Portable first; returns their number. */
#define COMMON_TOKEN_TESTS 2
extern int CommonTokenTestsAvailable(CommonTokenTest *tests);

extern CommonTokenTest CommonTokenTestBest(void);

#endif
