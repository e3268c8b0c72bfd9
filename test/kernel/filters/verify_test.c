/*
 * verify_test.c
 *		Verification: overlaps of pairs.
 */
#include "c.h"

#include "kernel/filters/verify.h"
#include "kernel_test.h"

static void
test_overlap(void)
{
	enum
	{
		UNIVERSE = 200,
		AROUND = 64
	};
	const uint32 one_in[] = {1, 4, 20, 100};
	JoinHost host = {0};
	uint32 wrong = 0;
	uint32 sufficient[lengthof(one_in)] = {0};

	for_each_case (round, 200000, wrong)
	{
		uint32 x[UNIVERSE];
		uint32 y_and_around[AROUND + UNIVERSE + AROUND];
		uint32 *y = y_and_around + AROUND;
		uint32 x_size = 0;
		uint32 y_size = 0;
		int64 overlap = 0;
		int64 needed;
		int64 result;
		uint32 universe = 1 + random_below(UNIVERSE);
		int change = random_below(lengthof(one_in));

		for (uint32 token = 0; token < universe; token++)
		{
			bool in_x = random_below(2);
			bool in_y = random_below(one_in[change]) == 0 ? random_below(2) : in_x;

			if (in_x)
				x[x_size++] = token;
			if (in_y)
				y[y_size++] = token;
			overlap += in_x && in_y;
		}
		/* before and after y, what must not be taken for its own */
		for (uint32 k = 0; k < AROUND && x_size > 0; k++)
		{
			y[y_size + k] = x[(y_size + k) % x_size];
			y[-1 - (int) k] = x[k % x_size];
		}
		needed = overlap + 3 - random_below(6);
		if (random_below(4) == 0)
			needed = random_below(universe);
		case_has("%u and %u tokens, overlap " INT64_FORMAT ", needed " INT64_FORMAT, x_size, y_size,
				 overlap, needed);
		result = OverlapAtLeast(&host, x, x_size, y, y_size, needed);
		wrong += overlap >= needed ? result != overlap : result >= needed;
		sufficient[change] += overlap >= needed;
	}
	for (int i = 0; i < (int) lengthof(one_in); i++)
		ok(enough(sufficient[i] > 10000), "overlap: many that suffice");
	ok(wrong == 0, "overlap: exact where it suffices, below what is needed where it does not");
}

int
main(void)
{
	test_overlap();
	return done_testing();
}
