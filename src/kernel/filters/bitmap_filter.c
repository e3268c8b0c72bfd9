/*
 * bitmap_filter.c
 *		Width of signatures.
 */
#include "c.h"

#include <float.h>
#include <math.h>

#include "kernel/filters/bitmap_filter.h"

/* Least excess over the bound. */
#define SIGNATURE_MARGIN 4

double
BitmapFilterExcess(double size, double allowed, uint32 words)
{
	/* Means of a bit, as ±1, and of a product of two, after 2 size toggles. */
	double bits = SIGNATURE_BITS_PER_WORD * words;
	double one = pow(1 - 2 / bits, 2 * size);
	double both = pow(1 - 4 / bits, 2 * size);
	double mean = bits * (1 - one) / 2;
	double variance = (bits * (1 - one * one) + bits * (bits - 1) * (both - one * one)) / 4;

	return (mean - allowed) / sqrt(Max(variance, DBL_MIN));
}

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

	/* Of a normal distribution. */
	return erfc(excess / M_SQRT2) / 2;
}
