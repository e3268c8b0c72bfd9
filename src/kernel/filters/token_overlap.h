/*
 * token_overlap.h
 *		Counts the tokens that two ascending sequences share, as far as the count decides.
 */
#ifndef NEARDUP_KERNEL_TOKEN_OVERLAP_H
#define NEARDUP_KERNEL_TOKEN_OVERLAP_H

/*
 * Returns how many tokens x and y share if that is at least `needed`, and some number below `needed`
 * otherwise. Counting may end when `enough` have been found.
 */
typedef int64 (*TokenOverlapCount)(const uint32 *x, uint32 x_size, const uint32 *y, uint32 y_size,
								   int64 needed, int64 enough);

/*
 * Writes the functions that this processor can run, the portable one first and the fastest last, and
 * returns their number, at most TOKEN_OVERLAPS.
 */
#define TOKEN_OVERLAPS 2
extern int TokenOverlapsAvailable(TokenOverlapCount *counts);

/* Counts by the fastest function that this processor can run. */
extern int64 TokenOverlap(const uint32 *x, uint32 x_size, const uint32 *y, uint32 y_size,
						  int64 needed, int64 enough);

#endif
