/*
 * probabilities_test.c
 *		Simhashes against the probabilities that they should have.
 */
#include "c.h"

#include <math.h>

#include "kernel_test.h"
#include "sketch/bit_sums.h"

#define MOST_TOKENS 4000

static uint64
simhash_of(const int64 *tokens, uint32 count)
{
	BitSums sums = {0};

	BitSumsAddTokens(&sums, tokens, count);
	return BitSumsSigns(&sums);
}

/* The probability that a sum of n signs is s. */
static double
sign_sum(int n, int s)
{
	int plus = (n + s) / 2;

	if ((n + s) % 2 != 0 || plus < 0 || plus > n)
		return 0;
	return exp(lgamma(n + 1.0) - lgamma(plus + 1.0) - lgamma(n - plus + 1.0) - n * M_LN2);
}

static double
sign_sum_above(int n, int s)
{
	double p = 0;

	for (int i = Max(s + 1, -n); i <= n; i++)
		p += sign_sum(n, i);
	return p;
}

/*
 * The probability that a bit differs between sets of a and b tokens, of which c are common:
 * the common ones sum to s, and one set's own tokens lift the sum above 0, the other's do not.
 */
static double
bit_differs(int a, int b, int c)
{
	double p = 0;

	for (int s = -c; s <= c; s++)
	{
		double x = sign_sum_above(a - c, -s);
		double y = sign_sum_above(b - c, -s);

		p += sign_sum(c, s) * (x * (1 - y) + y * (1 - x));
	}
	return p;
}

/* The share of bits that differ, and that of ones in the first set, in so many pairs of random sets. */
static void
measure(int a, int b, int c, int pairs, double *differ, double *ones)
{
	static int64 tokens[2 * MOST_TOKENS];
	int64 differing = 0;
	int64 set = 0;

	for (int pair = 0; pair < pairs; pair++)
	{
		uint64 x;
		uint64 y;

		/* The common tokens are in the middle. */
		for (int i = 0; i < a + b - c; i++)
			tokens[i] = (int64) random_bits();
		x = simhash_of(tokens, a);
		y = simhash_of(tokens + a - c, b);
		differing += __builtin_popcountll(x ^ y);
		set += __builtin_popcountll(x);
	}
	*differ = (double) differing / pairs / 64;
	*ones = (double) set / pairs / 64;
}

static void
test_probabilities(void)
{
	const int sizes[] = {1, 2, 3, 4, 7, 10, 25, 50, 99, 200};
	const int pairs = 1500;
	double worst_distance = 0;
	double worst_ones = 0;
	double differ;
	double ones;

	for (size_t i = 0; i < lengthof(sizes); i++)
	{
		for (size_t j = 0; j < lengthof(sizes); j += 3)
		{
			int a = sizes[i];
			int b = sizes[j];
			int most = Min(a, b);
			int last = -1;

			for (int eighth = 0; eighth <= 8; eighth += 2)
			{
				int c = most * eighth / 8;
				double p = bit_differs(a, b, c);
				double above = sign_sum_above(a, 0);

				if (c == last)
					continue;
				last = c;
				measure(a, b, c, pairs, &differ, &ones);
				if (a == b && b == c)
				{
					worst_distance = Max(worst_distance, differ == 0 && p < 1e-12 ? 0 : 100);
					continue;
				}
				worst_distance =
					Max(worst_distance, fabs(differ - p) / sqrt(p * (1 - p) / 64 / pairs));
				/* Once for each size: among many, one would be out by chance. */
				if (j == 0 && c == 0)
					worst_ones = Max(worst_ones,
									 fabs(ones - above) / sqrt(above * (1 - above) / 64 / pairs));
			}
		}
	}
	printf("# distances within %.2f, ones within %.2f standard errors\n", worst_distance,
		   worst_ones);
	ok(worst_distance <= 3, "distances are as probable as sums of signs make them");
	ok(worst_ones <= 3, "and so are ones, of which ties are none");
	ok(fabs(bit_differs(10, 10, 0) - 0.470) < 0.0005, "10 tokens each, none common: 0.470");
	measure(10, 10, 0, 20000, &differ, &ones);
	printf("# measured %.4f\n", differ);
	ok(fabs(differ - 0.470) < 0.0015, "which is what is measured, and not 0.5");
}

static void
test_charikar(void)
{
	const int sizes[][3] = {{1000, 1000, 0},
							{1000, 1000, 500},
							{1000, 1000, 900},
							{1500, 1000, 800},
							{2000, 1000, 1000}};
	double worst_exact = 0;
	double worst = 0;

	for (size_t i = 0; i < lengthof(sizes); i++)
	{
		int a = sizes[i][0];
		int b = sizes[i][1];
		int c = sizes[i][2];
		double angle = acos(c / sqrt((double) a * b)) / M_PI;
		double differ;
		double ones;

		measure(a, b, c, 6000, &differ, &ones);
		worst_exact = Max(worst_exact, fabs(bit_differs(a, b, c) - angle));
		worst = Max(worst, fabs(differ - angle));
	}
	printf("# exact within %.5f, measured within %.5f of the angle\n", worst_exact, worst);
	ok(worst_exact < 0.002 && worst < 0.002,
	   "of 1,000 tokens and more, the share of bits is the angle divided by pi");
}

int
main(void)
{
	/* Of so many cases one is beyond three standard errors by chance, for some seeds. */
	random_state = 1;
	test_probabilities();
	test_charikar();
	return done_testing();
}
