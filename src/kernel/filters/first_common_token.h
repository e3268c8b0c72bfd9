/*
 * first_common_token.h
 *		Finds out whether a common token is the first one of a pair.
 *
 * A pair of records meets at each common token of their prefixes, and must be emitted once. The
 * list engine emits it at the first common token: at token x[i] = y[j], it tests whether x[0 .. i -
 * 1] and y[0 .. j - 1] share a token.
 */
#ifndef NEARDUP_KERNEL_FIRST_COMMON_TOKEN_H
#define NEARDUP_KERNEL_FIRST_COMMON_TOKEN_H

#include "kernel/host.h"

/* Returns whether two ascending sequences share a token. */
typedef bool (*CommonTokenTest)(JoinHost *host, const uint32 *x, uint32 x_size, const uint32 *y,
								uint32 y_size);

/*
 * Writes the tests that this processor can run, the portable one first and the fastest last, and
 * returns their number, at most COMMON_TOKEN_TESTS.
 */
#define COMMON_TOKEN_TESTS 2
extern int CommonTokenTestsAvailable(CommonTokenTest *tests);

/* Returns the fastest test that this processor can run. */
extern CommonTokenTest CommonTokenTestBest(void);

#endif
