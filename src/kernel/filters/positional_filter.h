/*
 * positional_filter.h
 *		The positional filter: what can be common from a common token on.
 *
 * Tokens are in one order. Where x[i] = y[j], from 0, at most min(|x| - i, |y|
 * - j) are common from there on. With A common ones before, A plus that must
 * reach α (Lemma 2).
 *
 * Record by record, A is what the prefixes share so far. List by list, x[i] is
 * the first common token, and A is 0.
 */
#ifndef NEARDUP_KERNEL_POSITIONAL_FILTER_H
#define NEARDUP_KERNEL_POSITIONAL_FILTER_H

static inline bool
PositionalFilterPasses(int64 overlap_before, int64 x_rest, int64 y_rest, int64 least_overlap)
{
	return overlap_before + Min(x_rest, y_rest) >= least_overlap;
}

#endif
