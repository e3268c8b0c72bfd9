/*
 * suffix_filter.h
 *		The suffix filter: how much differs after the first common token.
 *
 * Similar sets differ in at most |x| + |y| - 2α tokens (Algorithms 3 and 4).
 */
#ifndef NEARDUP_KERNEL_SUFFIX_FILTER_H
#define NEARDUP_KERNEL_SUFFIX_FILTER_H

/*
 * Lower bound of the Hamming distance. hamming_max is at least ||x| - |y|| and of its parity;
 * depth starts at 1.
 */
extern int64 SuffixFilter(const uint32 *x, int64 x_size, const uint32 *y, int64 y_size,
						  int64 hamming_max, int depth);

/* Line 2 of Algorithm 5: x[i] = y[j] is the first common token. */
static inline bool
SuffixFilterPasses(const uint32 *x, int64 x_size, int64 i, const uint32 *y, int64 y_size, int64 j,
				   int64 least_overlap)
{
	int64 hamming_max = x_size + y_size - 2 * least_overlap - i - j;

	return SuffixFilter(x + i + 1, x_size - i - 1, y + j + 1, y_size - j - 1, hamming_max, 1) <=
		   hamming_max;
}

#endif
