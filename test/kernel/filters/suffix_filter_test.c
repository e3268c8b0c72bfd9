/*
 * suffix_filter_test.c
 *		The suffix filter: its bound is at most the Hamming distance.
 */
#include "c.h"

#include "kernel/filters/suffix_filter.h"
#include "kernel_test.h"

static void
test_suffix_filter(void)
{
	uint32 wrong = 0;
	uint32 pruned = 0;

	for_each_case (round, 200000, wrong)
	{
		uint32 x[40];
		uint32 y[40];
		uint32 x_size = 0;
		uint32 y_size = 0;
		int64 hamming = 0;
		int64 allowed;

		for (uint32 token = 0; token < 40; token++)
		{
			bool in_x = random_below(3) > 0;
			bool in_y = random_below(5) > 0 ? in_x : !in_x;

			if (in_x)
				x[x_size++] = token;
			if (in_y)
				y[y_size++] = token;
			hamming += in_x != in_y;
		}
		case_has("%u and %u tokens, of which " INT64_FORMAT " differ", x_size, y_size, hamming);
		allowed = hamming + 2 * (int64) random_below(3);
		wrong += SuffixFilter(x, x_size, y, y_size, allowed, 1) > allowed;
		allowed = hamming - 2 - 2 * (int64) random_below(4);
		if (allowed >= labs((long) x_size - (long) y_size))
			pruned += SuffixFilter(x, x_size, y, y_size, allowed, 1) > allowed;
	}
	ok(wrong == 0, "suffix filter: its bound is at most H whenever the distance is at most H");
	ok(enough(pruned > 10000), "suffix filter: it prunes pairs that are farther apart");
}

int
main(void)
{
	test_suffix_filter();
	return done_testing();
}
