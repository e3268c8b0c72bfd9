/*
 * suffix_filter.h
 *		Algorithms 3 and 4 of the paper.
 */
#ifndef NEARDUP_JOIN_SUFFIX_FILTER_H
#define NEARDUP_JOIN_SUFFIX_FILTER_H

/*
 * A lower bound of the Hamming distance of two ascending token sequences.
 * Exact comparisons stop once the bound exceeds hamming_max: any result above
 * hamming_max says that the distance is above it too.
 * Requires hamming_max >= ||x| - |y||, and both of the same parity; depth
 * starts at 1.
 */
extern int64 SuffixFilter(const uint32 *x, int64 x_size, const uint32 *y, int64 y_size,
						  int64 hamming_max, int depth);

#endif
