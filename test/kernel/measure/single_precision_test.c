/*
 * single_precision_test.c
 *		Thresholds of similarities in single precision against the comparison itself.
 */
#include "c.h"

#include <math.h>

#include "kernel_test.h"
#include "measure/measure.h"
#include "measure/single_precision.h"

/* All unions of up to so many tokens are tried; random ones have up to 2^24. */
#define SMALL_UNION 300
#define LARGEST_UNION (1 << 24)

static const SingleComparison comparisons[] = {SINGLE_SIMILARITY_GE, SINGLE_SIMILARITY_GT,
											   SINGLE_DISTANCE_LE, SINGLE_DISTANCE_LT};

/* Returns whether both tell the same of two sets that share `common` of `all` tokens. */
static bool
agrees(SingleComparison comparison, double threshold, int64 common, int64 all)
{
	double jaccard = SingleComparisonThreshold(comparison, threshold);
	float similarity = (float) common / (float) all;
	bool holds = SingleComparisonHolds(comparison, similarity, threshold);
	Predicate predicate = {.measure = MEASURE_JACCARD, .threshold = jaccard};

	if (jaccard <= 0 || jaccard > 1)
		return holds == (jaccard <= 0);
	return holds == PredicateHolds(predicate, common, all, common);
}

static uint64
count_wrong(double threshold, int64 common, int64 all)
{
	uint64 wrong = 0;

	for (int i = 0; i < (int) lengthof(comparisons); i++)
		wrong += !agrees(comparisons[i], threshold, common, all);
	if (wrong > 0)
		case_has("threshold %.17g, " INT64_FORMAT " of " INT64_FORMAT " tokens", threshold, common,
				 all);
	return wrong;
}

/* Returns a threshold at a fraction or next to it, in either precision, or its distance. */
static double
threshold_near(int64 common, int64 all)
{
	float single = (float) common / (float) all;
	double number = random_below(2) == 0 ? (double) single : (double) common / (double) all;

	if (random_below(2) == 0)
		number = random_below(2) == 0 ? (double) (float) (1.0 - single) : 1 - number;
	switch (random_below(6))
	{
		case 0:
			return nextafter(number, 2);
		case 1:
			return nextafter(number, -1);
		case 2:
			return nextafterf((float) number, 2);
		case 3:
			return nextafterf((float) number, -1);
		default:
			return number;
	}
}

static void
test_small_unions(void)
{
	uint64 wrong = 0;

	for_each_case (all, SMALL_UNION, wrong)
	{
		for (int64 common = 1; common <= (int64) all; common++)
		{
			wrong += count_wrong(threshold_near(common, all), common, all);
			wrong += count_wrong(random_below(101) / 100.0, common, all);
			wrong += count_wrong((double) (float) (random_below(101) / 100.0), common, all);
		}
	}
	ok(wrong == 0, "all fractions of small unions, at thresholds at them and beside them");
}

static void
test_large_unions(void)
{
	uint64 wrong = 0;

	for_each_case (seed, share_of(400000), wrong)
	{
		int64 all = 1 + random_below(LARGEST_UNION >> random_below(22));
		int64 common = 1 + random_below((uint32) all);
		double threshold = threshold_near(common, all);

		wrong += count_wrong(threshold, common, all);
		if (common < all)
			wrong += count_wrong(threshold, common + 1, all);
		if (common > 1)
			wrong += count_wrong(threshold, common - 1, all);
	}
	ok(wrong == 0, "random fractions of unions of up to 2^24 tokens");
}

static void
test_limits(void)
{
	ok(SingleComparisonThreshold(SINGLE_SIMILARITY_GE, 0) == 0 &&
		   SingleComparisonThreshold(SINGLE_SIMILARITY_GT, -1) == 0 &&
		   SingleComparisonThreshold(SINGLE_DISTANCE_LE, 1) == 0 &&
		   SingleComparisonThreshold(SINGLE_DISTANCE_LT, NAN) == 0,
	   "a comparison that holds for all");
	ok(SingleComparisonThreshold(SINGLE_SIMILARITY_GT, 1) == SINGLE_NEVER &&
		   SingleComparisonThreshold(SINGLE_SIMILARITY_GE, NAN) == SINGLE_NEVER &&
		   SingleComparisonThreshold(SINGLE_DISTANCE_LT, 0) == SINGLE_NEVER &&
		   SingleComparisonThreshold(SINGLE_SIMILARITY_GE, INFINITY) == SINGLE_NEVER,
	   "a comparison that holds for none");
	ok(agrees(SINGLE_SIMILARITY_GT, 0, 1, LARGEST_UNION) && agrees(SINGLE_SIMILARITY_GE, 1, 1, 1),
	   "the least and the greatest similarity");
}

int
main(void)
{
	test_small_unions();
	test_large_unions();
	test_limits();
	return done_testing();
}
