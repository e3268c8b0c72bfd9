/*
 * bitmap_filter.c
 *		Chooses the width of signatures.
 *
 * A wider signature separates unrelated sets better, and takes more memory and time to compare.
 * Two unrelated sets of `size` tokens toggle 2 * size bits of the XOR of their signatures. Its
 * number of one bits is nearly normally distributed, with a mean and a variance that follow from
 * size and width. The width is the least with which this mean lies clearly above the distance that
 * similar sets may have.
 */
#include "c.h"

#include <float.h>
#include <math.h>

#include "kernel/filters/bitmap_filter.h"

/* Least excess of unrelated signatures over the bound, in standard deviations. */
#define SIGNATURE_MARGIN 4

double
BitmapFilterExcess(double size, double allowed, uint32 words)
{
	/*
	 * Count a bit as 1 where it is 0 and as -1 where it is 1. Then `one` is the mean of a bit after
	 * 2 * size toggles, and `both` that of the product of two bits.
	 */
	double bits = SIGNATURE_BITS_PER_WORD * words;
	double one = pow(1 - 2 / bits, 2 * size);
	double both = pow(1 - 4 / bits, 2 * size);
	double mean = bits * (1 - one) / 2;
	double variance = (bits * (1 - one * one) + bits * (bits - 1) * (both - one * one)) / 4;

	return (mean - allowed) / sqrt(Max(variance, DBL_MIN));
}

/* Returns the excess for unrelated sets of the mean size over the bound for two such sets. */
static double
excess_of_unrelated(Predicate predicate, double mean_size, uint32 words)
{
	int size = (int) mean_size;
	int64 allowed = BitmapFilterDistance(size, size, PredicateLeastOverlap(predicate, size, size));

	return BitmapFilterExcess(size, (double) allowed, words);
}

uint32
BitmapFilterWords(Predicate predicate, double mean_size)
{
	uint32 words = 1;

	while (mean_size > 0 && words < SIGNATURE_MAX_WORDS &&
		   !(excess_of_unrelated(predicate, mean_size, words) > SIGNATURE_MARGIN))
		words *= 2;
	return words;
}

double
BitmapFilterPassing(Predicate predicate, double mean_size, uint32 words)
{
	double excess = excess_of_unrelated(predicate, mean_size, words);

	/* The share of a normal distribution that lies this far below its mean. */
	return erfc(excess / M_SQRT2) / 2;
}
