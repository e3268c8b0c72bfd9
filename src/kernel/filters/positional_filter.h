/*
 * positional_filter.h
 *		The positional filter: the overlap that a common token allows.
 *
 * From x[i] = y[j] on, at most min(|x| - i, |y| - j) tokens are common. With A common tokens
 * before, none at a pair's first, the sum must reach α (Lemma 2).
 */
#ifndef NEARDUP_KERNEL_POSITIONAL_FILTER_H
#define NEARDUP_KERNEL_POSITIONAL_FILTER_H

static inline bool
PositionalFilterPasses(int64 overlap_before, int64 x_rest, int64 y_rest, int64 least_overlap)
{
	return overlap_before + Min(x_rest, y_rest) >= least_overlap;
}

#endif
