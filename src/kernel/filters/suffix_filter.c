/*
 * suffix_filter.c
 *		Bounds the Hamming distance of two sequences by divide and conquer.
 *
 * This is Algorithm 3 of the paper. Let w be the middle token of y. It divides y into the tokens
 * before and after it, and x, too, whether or not x has w. A token before w in x can only equal one
 * before w in y, and likewise after it. So the distance of x and y is the distance of their left
 * parts, plus the distance of their right parts, plus 1 if x lacks w; and the distance of two parts
 * is at least the difference of their sizes.
 *
 * In Example 4, two sequences of 6 tokens may differ in 2. The 4th token of y, F, is the 5th of x
 * or would be: left of it are 4 tokens of x and 3 of y. If the left parts are divided by D, the
 * third token of y and the second of x, then their parts have 1 and 2, and 3 and 1 tokens; with the
 * right parts, of 2 and 3 tokens, the differences add up to 4, and the pair is dropped.
 *
 * The recursion tightens the bound: each part is given the distance that the others leave it, and
 * the search stops when the sum exceeds what is allowed. It ends at MAXDEPTH, as in the paper.
 */
#include "c.h"

#include "bisect.h"
#include "kernel/filters/suffix_filter.h"

#define MAXDEPTH 2

/* Returns |a - b|. */
static inline int64
distance(int64 a, int64 b)
{
	return a < b ? b - a : a - b;
}

/*
 * Finds the place of w in s (Algorithm 4). It searches positions l to r, which count from 1; a
 * place elsewhere would make the distance too large, and false is returned. Where the range goes
 * beyond s, s counts as continued by -∞ and +∞: if the range were clamped to s, as the pseudocode
 * suggests, a token w after the end of s would be refused, and similar pairs dropped.
 *
 * left_size receives the number of tokens of s before w, and found whether s has w.
 */
static bool
partition(const uint32 *s, int64 size, uint32 w, int64 l, int64 r, int64 *left_size, bool *found)
{
	int64 place;

	if ((l >= 1 && s[l - 1] > w) || (r <= size && s[r - 1] < w))
		return false;
	place = Max(l, 1) - 1;
	BISECT(int64, place, Min(r, size), at, s[at] < w);
	*left_size = place;
	*found = place < size && s[place] == w;
	return true;
}

int64
SuffixFilter(const uint32 *x, int64 x_size, const uint32 *y, int64 y_size, int64 hamming_max,
			 int depth)
{
	int64 difference = distance(x_size, y_size);
	int64 y_left;
	int64 y_right;
	int64 x_left;
	int64 x_right;
	int64 reach;
	int64 w_missing;
	int64 right_difference;
	int64 left_bound;
	int64 bound;
	bool found;
	uint32 w;

	if (depth > MAXDEPTH || x_size == 0 || y_size == 0)
		return difference;

	/* w is at most `reach` places further from its place in y than the sizes account for. */
	y_left = (y_size + 1) / 2 - 1;
	y_right = y_size - y_left - 1;
	w = y[y_left];
	reach = (hamming_max - difference) / 2;
	if (!partition(x, x_size, w, y_left + 1 - reach - (x_size < y_size ? difference : 0),
				   y_left + 1 + reach + (x_size < y_size ? 0 : difference), &x_left, &found))
		return hamming_max + 1;
	w_missing = found ? 0 : 1;
	x_right = x_size - x_left - (found ? 1 : 0);

	right_difference = distance(x_right, y_right);
	bound = distance(x_left, y_left) + right_difference + w_missing;
	if (bound > hamming_max)
		return bound;
	left_bound =
		SuffixFilter(x, x_left, y, y_left, hamming_max - right_difference - w_missing, depth + 1);
	bound = left_bound + right_difference + w_missing;
	if (bound > hamming_max)
		return bound;
	return left_bound + w_missing +
		   SuffixFilter(x + x_size - x_right, x_right, y + y_left + 1, y_right,
						hamming_max - left_bound - w_missing, depth + 1);
}
