/*
 * suffix_filter.h
 *		The suffix filter: drops pairs that differ too much after their first common token.
 *
 * An overlap of at least α is a Hamming distance of at most |x| + |y| - 2α (equation 2), the number
 * of tokens that are in one of the sets only. A lower bound of the distance that exceeds it proves
 * that a pair is not similar. The filter looks at the suffixes, whose overlap no index tells, by a
 * few binary searches (section 5.2). It costs more than other filters, and each pair takes it once,
 * at its first common token.
 */
#ifndef NEARDUP_KERNEL_SUFFIX_FILTER_H
#define NEARDUP_KERNEL_SUFFIX_FILTER_H

/*
 * Returns a lower bound of the Hamming distance of two ascending sequences; if this exceeds
 * hamming_max, any greater value than that. hamming_max is at least ||x| - |y||, and differs from
 * it by an even number. depth is 1, and greater in recursive calls.
 */
extern int64 SuffixFilter(const uint32 *x, int64 x_size, const uint32 *y, int64 y_size,
						  int64 hamming_max, int depth);

/*
 * Returns whether the overlap may reach least_overlap, given that x[i] = y[j], with positions from
 * 0, is the first common token. So the i and j tokens before it differ: line 2 of Algorithm 5
 * subtracts them from the distance that the suffixes may have.
 */
static inline bool
SuffixFilterPasses(const uint32 *x, int64 x_size, int64 i, const uint32 *y, int64 y_size, int64 j,
				   int64 least_overlap)
{
	int64 hamming_max = x_size + y_size - 2 * least_overlap - i - j;

	return SuffixFilter(x + i + 1, x_size - i - 1, y + j + 1, y_size - j - 1, hamming_max, 1) <=
		   hamming_max;
}

#endif
