/*
 * positional_filter.h
 *		The positional filter: drops pairs whose common token comes too late in either record.
 *
 * Tokens of canonical records ascend. With positions from 0, let x[i] = y[j] be a common token. The
 * tokens before it in x can only equal tokens before it in y; say that A of them do. From the token
 * on, at most min(|x| - i, |y| - j) tokens are common. So the overlap is at most A + min(|x| - i,
 * |y| - j), and the pair is not similar unless this reaches α (Lemma 2). In Example 3 of the paper,
 * x = [B, C, D, E, F] and y = [A, B, C, D, E] share B first: 0 + min(5 - 0, 5 - 1) = 4 is below α =
 * 5.
 */
#ifndef NEARDUP_KERNEL_POSITIONAL_FILTER_H
#define NEARDUP_KERNEL_POSITIONAL_FILTER_H

/*
 * Returns whether the overlap can reach least_overlap: x_rest and y_rest tokens are left in the
 * records, the common one included, and overlap_before common ones came before it.
 */
static inline bool
PositionalFilterPasses(int64 overlap_before, int64 x_rest, int64 y_rest, int64 least_overlap)
{
	return overlap_before + Min(x_rest, y_rest) >= least_overlap;
}

#endif
