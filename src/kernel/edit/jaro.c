/*
 * jaro.c
 *		Computes the Jaro and Jaro-Winkler similarity.
 *
 * Two characters match if they are equal and their positions differ by less than half of the longer
 * text; each matches once. With m matches and t transpositions, which are half of the matches that
 * are out of order, Jaro's similarity is the mean of m / |x|, m / |y| and (m - t) / m.
 *
 * The details follow Winkler's program strcmp95, without its similar characters and its bonus for
 * long texts: a character of x matches the first free equal one of y within the window, and an odd
 * number of matches out of order is rounded down.
 */
#include "c.h"

#include "kernel/edit/jaro.h"

#define WINKLER_LEAST 0.7
#define WINKLER_PREFIX 4
#define WINKLER_SCALE 0.1

/* Marks the characters that match and returns the number of matches. */
static uint32
find_matches(JoinHost *host, const uint32 *x, uint32 x_length, const uint32 *y, uint32 y_length,
			 bool *x_matched, bool *y_matched)
{
	uint32 half = Max(x_length, y_length) / 2;
	uint32 window = half > 0 ? half - 1 : 0;
	uint32 first_free = 0;
	uint32 matches = 0;

	for (uint32 i = 0; i < x_length; i++)
	{
		uint32 end = Min((uint64) i + window + 1, y_length);
		uint32 from;
		uint32 j;

		while (first_free < y_length && y_matched[first_free])
			first_free++;
		from = Max(i > window ? i - window : 0, first_free);
		for (j = from; j < end && (y_matched[j] || x[i] != y[j]);)
			j++;
		JoinTick(host, j - from + 1);
		if (j >= end)
			continue;
		x_matched[i] = y_matched[j] = true;
		matches++;
	}
	return matches;
}

/* Returns how many matches are out of order: the i-th matched characters of x and y differ. */
static uint32
count_out_of_order(JoinHost *host, const uint32 *x, uint32 x_length, const uint32 *y,
				   const bool *x_matched, const bool *y_matched)
{
	uint32 count = 0;
	uint32 j = 0;

	for (uint32 i = 0; i < x_length; i++)
	{
		JoinTick(host, 1);
		if (!x_matched[i])
			continue;
		while (!y_matched[j])
			j++;
		count += x[i] != y[j++];
	}
	return count;
}

double
JaroSimilarity(JoinHost *host, const uint32 *x, uint32 x_length, const uint32 *y, uint32 y_length)
{
	bool *x_matched;
	bool *y_matched;
	double matches;
	double transpositions = 0;

	if (x_length == 0 || y_length == 0)
		return x_length == y_length;
	x_matched = JoinAllocateZero(host, x_length, sizeof(bool));
	y_matched = JoinAllocateZero(host, y_length, sizeof(bool));
	matches = find_matches(host, x, x_length, y, y_length, x_matched, y_matched);
	if (matches > 0)
		transpositions = count_out_of_order(host, x, x_length, y, x_matched, y_matched) / 2;
	JoinRelease(host, y_matched, y_length, sizeof(bool));
	JoinRelease(host, x_matched, x_length, sizeof(bool));
	if (matches == 0)
		return 0;
	return (matches / x_length + matches / y_length + (matches - transpositions) / matches) / 3;
}

double
JaroWinklerSimilarity(JoinHost *host, const uint32 *x, uint32 x_length, const uint32 *y,
					  uint32 y_length)
{
	double similarity = JaroSimilarity(host, x, x_length, y, y_length);
	uint32 most = Min(Min(x_length, y_length), WINKLER_PREFIX);
	uint32 prefix = 0;

	if (similarity <= WINKLER_LEAST)
		return similarity;
	while (prefix < most && x[prefix] == y[prefix])
		prefix++;
	return similarity + prefix * WINKLER_SCALE * (1 - similarity);
}
