/*
 * first_common_token_test.c
 *		The tests for a common token, each against a count.
 */
#include "c.h"

#include "kernel/filters/first_common_token.h"
#include "kernel_test.h"

/* Each test for common tokens finds those that there are, and none before or after a sequence. */
static void
test_common_tokens(void)
{
	enum
	{
		UNIVERSE = 400,
		AROUND = 32
	};
	CommonTokenTest tests[COMMON_TOKEN_TESTS] = {NULL};
	int test_count = CommonTokenTestsAvailable(tests);
	JoinHost host = {0};
	uint32 wrong = 0;
	uint32 with_common = 0;
	uint32 without = 0;

	for_each_case (round, 100000, wrong)
	{
		uint32 x_and_around[AROUND + UNIVERSE + AROUND];
		uint32 y_and_around[AROUND + UNIVERSE + AROUND];
		uint32 *x = x_and_around + AROUND;
		uint32 *y = y_and_around + AROUND;
		uint32 x_size = 0;
		uint32 y_size = 0;
		uint32 universe = 1 + random_below(UNIVERSE);
		uint32 one_in = 2 + random_below(universe * 2);
		uint32 share_of_x = random_below(9);
		bool has_common = false;

		for (uint32 token = 0; token < universe; token++)
		{
			bool in_both = random_below(one_in) == 0;
			bool in_x = in_both || random_below(8) < share_of_x;

			if (in_x)
				x[x_size++] = token;
			if (in_both || (!in_x && random_below(8) > 0))
				y[y_size++] = token;
			has_common |= in_both;
		}
		case_has("%u and %u tokens of %u", x_size, y_size, universe);
		for (uint32 k = 0; k < AROUND && x_size > 0 && y_size > 0; k++)
		{
			x[-1 - (int) k] = x[x_size + k] = y[k % y_size];
			y[-1 - (int) k] = y[y_size + k] = x[k % x_size];
		}
		for (int i = 0; i < test_count; i++)
			wrong += tests[i](&host, x, x_size, y, y_size) != has_common;
		with_common += has_common;
		without += !has_common;
	}
	ok(enough(with_common > 10000 && without > 10000), "common tokens: many have some, many none");
	ok(wrong == 0, "common tokens: all tests find whether there are any");
}

int
main(void)
{
	test_common_tokens();
	return done_testing();
}
