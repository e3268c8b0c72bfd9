/*
 * suffix_filter.c
 *		The suffix filter's bound, by divide and conquer (section 5.2).
 *
 * The middle token w of y splits both sequences. Tokens match only on their side of it, so the
 * differences of the parts' sizes add up to a bound.
 */
#include "c.h"

#include "kernel/filters/suffix_filter.h"

#define MAXDEPTH 2

static inline int64
distance(int64 a, int64 b)
{
	return a < b ? b - a : a - b;
}

/*
 * Algorithm 4: searches w in l .. r, from 1; false if it cannot be there. Beyond s are -∞ and +∞:
 * clamping would prune similar pairs.
 */
static bool
partition(const uint32 *s, int64 size, uint32 w, int64 l, int64 r, int64 *left_size, bool *found)
{
	int64 low;
	int64 high;

	if ((l >= 1 && s[l - 1] > w) || (r <= size && s[r - 1] < w))
		return false;
	low = Max(l, 1) - 1;
	high = Min(r, size);
	while (low < high)
	{
		int64 middle = low + (high - low) / 2;

		if (s[middle] < w)
			low = middle + 1;
		else
			high = middle;
	}
	*left_size = low;
	*found = low < size && s[low] == w;
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
