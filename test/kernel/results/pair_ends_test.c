/*
 * pair_ends_test.c
 *		Pairs of numbers as one integer, up to the greatest numbers.
 */
#include "c.h"

#include "join/call/pair_ends.h"
#include "kernel_test.h"

static const uint32 edges[] = {0, 1, 0x7FFFFFFE, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF};

/* One of the numbers at the edges, or near to one, or any. */
static uint32
some_number(void)
{
	uint32 edge = edges[random_below(lengthof(edges))];

	switch (random_below(3))
	{
		case 0:
			return edge;
		case 1:
			return edge + random_below(5) - 2;
		default:
			return (uint32) random_bits();
	}
}

static int
compare_numbers(uint32 a, uint32 b)
{
	return a < b ? -1 : a > b;
}

int
main(void)
{
	int lost = 0;
	int misordered = 0;

	random_state = 20080421;
	for (int i = 0; i < 1000000; i++)
	{
		uint32 a = some_number();
		uint32 b = some_number();
		uint32 c = random_below(2) ? a : some_number();
		uint32 d = some_number();
		int64 ab = PairEndsPack(a, b);
		int64 cd = PairEndsPack(c, d);
		int expected = a != c ? compare_numbers(a, c) : compare_numbers(b, d);

		lost += PairEndsFirst(ab) != a || PairEndsSecond(ab) != b;
		misordered += (ab < cd ? -1 : ab > cd) != expected;
	}
	ok(lost == 0, "both numbers of a pair come back");
	ok(misordered == 0, "pairs are ordered by their first number, then by their second");
	return done_testing();
}
