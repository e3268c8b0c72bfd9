/*
 * bitmap_filter.c
 *		The width of signatures.
 */
#include "c.h"

#include <float.h>
#include <math.h>

#include "kernel/filters/bitmap_filter.h"

/* Standard deviations by which unrelated signatures must exceed the bound. */
#define SIGNATURE_MARGIN 4

/* Standard deviations by which they do. */
static double
excess_of_unrelated(Predicate predicate, double mean_size, uint32 words)
{
	int size = (int) mean_size;
	double allowed =
		(double) BitmapFilterDistance(size, size, PredicateLeastOverlap(predicate, size, size));

	/* Of bits that 2 size tokens toggle, as ±1: the mean of one, and of the product of two. */
	double bits = SIGNATURE_BITS_PER_WORD * words;
	double one = pow(1 - 2 / bits, 2 * size);
	double both = pow(1 - 4 / bits, 2 * size);
	double mean = bits * (1 - one) / 2;
	double variance = (bits * (1 - one * one) + bits * (bits - 1) * (both - one * one)) / 4;

	return (mean - allowed) / sqrt(Max(variance, DBL_MIN));
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

	/* The share of a normal distribution. */
	return erfc(excess / M_SQRT2) / 2;
}
