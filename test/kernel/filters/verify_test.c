/*
 * verify_test.c
 *		Verification: overlaps of pairs, and whether two sequences have a common token.
 */
#include "c.h"

#include "kernel/filters/token_overlap.h"
#include "kernel_test.h"

/* Room before and after a sequence, which none of its tokens may be taken from. */
#define AROUND 32

/* Writes before and after each sequence what must not be taken for its own: tokens of the other. */
static void
surround(uint32 *x, uint32 x_size, uint32 *y, uint32 y_size)
{
	for (int k = 0; k < AROUND && x_size > 0 && y_size > 0; k++)
	{
		x[-1 - k] = x[x_size + k] = y[k % y_size];
		y[-1 - k] = y[y_size + k] = x[k % x_size];
	}
}

static void
test_overlap(void)
{
	enum
	{
		UNIVERSE = 200
	};
	const uint32 one_in[] = {1, 4, 20, 100};
	TokenOverlapCount counts[TOKEN_OVERLAPS] = {NULL};
	int count = TokenOverlapsAvailable(counts);
	uint32 wrong = 0;
	uint32 sufficient[lengthof(one_in)] = {0};

	for_each_case (round, 200000, wrong)
	{
		uint32 x_and_around[AROUND + UNIVERSE + AROUND];
		uint32 y_and_around[AROUND + UNIVERSE + AROUND];
		uint32 *x = x_and_around + AROUND;
		uint32 *y = y_and_around + AROUND;
		uint32 x_size = 0;
		uint32 y_size = 0;
		int64 overlap = 0;
		int64 needed;
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
		surround(x, x_size, y, y_size);
		needed = overlap + 3 - random_below(6);
		if (random_below(4) == 0)
			needed = random_below(universe);
		case_has("%u and %u tokens, overlap " INT64_FORMAT ", needed " INT64_FORMAT, x_size, y_size,
				 overlap, needed);
		for (int i = 0; i < count; i++)
		{
			int64 result = counts[i](x, x_size, y, y_size, needed, PG_INT64_MAX);

			wrong += overlap >= needed ? result != overlap : result >= needed;
		}
		sufficient[change] += overlap >= needed;
	}
	for (int i = 0; i < (int) lengthof(one_in); i++)
		ok(enough(sufficient[i] > 10000), "overlap: many that suffice");
	ok(wrong == 0, "overlap: exact where it suffices, below what is needed where it does not");
}

/* Where one common token is enough, it is found if there is any. */
static void
test_common_tokens(void)
{
	enum
	{
		UNIVERSE = 400
	};
	TokenOverlapCount counts[TOKEN_OVERLAPS] = {NULL};
	int count = TokenOverlapsAvailable(counts);
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
		surround(x, x_size, y, y_size);
		for (int i = 0; i < count; i++)
			wrong += (counts[i](x, x_size, y, y_size, 1, 1) > 0) != has_common;
		with_common += has_common;
		without += !has_common;
	}
	ok(enough(with_common > 10000 && without > 10000), "common tokens: many have some, many none");
	ok(wrong == 0, "common tokens: all functions find whether there are any");
}

int
main(void)
{
	test_overlap();
	test_common_tokens();
	return done_testing();
}
