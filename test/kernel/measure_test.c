/*
 * measure_test.c
 *		The bounds of each measure against the predicate itself.
 *
 * For every measure, a list of thresholds (many of which are met exactly by
 * fractions of small integers) and all sizes up to SIZE_MAX_TESTED, the bounds
 * are compared with what trying every overlap and every size finds. Prints
 * TAP, one line for each measure and rule.
 */
#include "c.h"

#include <math.h>

#include "measure/measure.h"

#define SIZE_MAX_TESTED 40

static int test_number = 0;
static int failures = 0;

static const double fractions[] = {1e-9,	0.1, 1.0 / 3, 0.4, 0.5,		0.6,  2.0 / 3, 0.7,
								   3.0 / 4, 0.8, 5.0 / 6, 0.9, 6.0 / 7, 0.95, 1.0};
static const double integers[] = {0, 1, 2, 3, 4, 5, 7, 10, 20, 39, 40, 41, 79, 80, 81, 1000};

/* Counts of violations of each rule, for one measure. */
typedef struct Violations
{
	int64 least_overlap;
	int64 sizes;
	int64 probing_prefix;
	int64 indexing_prefix;
} Violations;

static void
report(const char *measure, const char *rule, int64 violations)
{
	printf("%s %d - %s: %s, violations: " INT64_FORMAT "\n", violations == 0 ? "ok" : "not ok",
		   ++test_number, measure, rule, violations);
	failures += violations != 0;
}

/* The least overlap from 0 to the smaller size that makes a pair; one more than that if none does. */
static int64
least_overlap_by_trial(Predicate predicate, int64 a, int64 b)
{
	int64 overlap = 0;

	while (overlap <= Min(a, b) && !PredicateHolds(predicate, overlap, a, b))
		overlap++;
	return overlap;
}

static bool
bound_agrees(int64 bound, int64 trial, int64 smaller)
{
	if (trial == 0)
		return bound <= 0;
	if (trial > smaller)
		return bound > smaller;
	return bound == trial;
}

/*
 * Two sets of this overlap, whose common tokens come last in the token order
 * (the worst case), share a token of their prefixes only if the first common
 * token lies in both. Where α <= 0 no common token is owed.
 */
static bool
prefix_suffices(int64 prefix, int64 size, int64 overlap)
{
	return prefix > size - overlap;
}

static void
check_pair(Predicate predicate, int64 a, int64 b, Violations *violations)
{
	int64 trial = least_overlap_by_trial(predicate, a, b);
	bool can_meet = trial <= Min(a, b);
	bool left_is_probed = MeasureIsAsymmetric(predicate.measure) || b <= a;

	violations->least_overlap +=
		!bound_agrees(PredicateLeastOverlap(predicate, a, b), trial, Min(a, b));
	/* Where no set can be similar, the range of sizes means nothing: the prefix says so. */
	if (PredicateProbingPrefix(predicate, a) == 0)
		violations->sizes += can_meet;
	else
		violations->sizes += can_meet != (b >= PredicateLeastSize(predicate, a) &&
										  b <= PredicateGreatestSize(predicate, a));
	if (!can_meet || trial == 0)
		return;
	violations->probing_prefix += !prefix_suffices(PredicateProbingPrefix(predicate, a), a, trial);
	if (left_is_probed)
		violations->indexing_prefix +=
			!prefix_suffices(PredicateIndexingPrefix(predicate, b), b, trial);
}

static void
check_measure(Measure measure)
{
	bool counts = measure == MEASURE_OVERLAP || measure == MEASURE_HAMMING;
	const double *thresholds = counts ? integers : fractions;
	int n_thresholds = counts ? lengthof(integers) : lengthof(fractions);
	Violations violations = {0};

	for (int i = 0; i < n_thresholds; i++)
	{
		Predicate predicate = {measure, thresholds[i]};

		if (!SimilarityThresholdIsValid(measure, thresholds[i]))
			continue;
		for (int64 a = 1; a <= SIZE_MAX_TESTED; a++)
			for (int64 b = 1; b <= SIZE_MAX_TESTED; b++)
				check_pair(predicate, a, b, &violations);
	}
	report(MeasureName(measure), "least overlap is the predicate's own", violations.least_overlap);
	report(MeasureName(measure), "sizes that can be similar", violations.sizes);
	report(MeasureName(measure), "probing prefix meets every similar set",
		   violations.probing_prefix);
	report(MeasureName(measure), "indexing prefix meets every later set",
		   violations.indexing_prefix);
}

static void
check_thresholds(void)
{
	int64 wrong = 0;

	for (int measure = 0; measure < MEASURE_COUNT; measure++)
	{
		bool counts = measure == MEASURE_OVERLAP || measure == MEASURE_HAMMING;

		wrong += SimilarityThresholdIsValid(measure, NAN);
		wrong += SimilarityThresholdIsValid(measure, -1);
		wrong += SimilarityThresholdIsValid(measure, INFINITY);
		wrong += SimilarityThresholdIsValid(measure, 0) != (measure == MEASURE_HAMMING);
		wrong += SimilarityThresholdIsValid(measure, 0.5) != !counts;
		wrong += SimilarityThresholdIsValid(measure, 2) != counts;
		wrong += !SimilarityThresholdIsValid(measure, 1);
	}
	report("all", "range of thresholds", wrong);
}

/* Pairs exactly on a threshold, which a rounded formula loses. */
static void
check_exact(void)
{
	Predicate seven_tenths = {MEASURE_JACCARD, 0.7};
	Predicate four_fifths = {MEASURE_JACCARD, 0.8};
	Predicate example_1 = {MEASURE_COSINE, 0.8};

	report("jaccard", "7/10 reaches 0.7", !PredicateHolds(seven_tenths, 7, 8, 9));
	report("jaccard", "4/5 reaches 0.8", !PredicateHolds(four_fifths, 4, 4, 5));
	report("cosine", "4/sqrt(5 * 5) reaches 0.8", !PredicateHolds(example_1, 4, 5, 5));
	report("jaccard", "the empty set is similar to nothing",
		   PredicateHolds(seven_tenths, 0, 0, 0) + PredicateHolds(seven_tenths, 0, 0, 1));
}

int
main(void)
{
	for (int measure = 0; measure < MEASURE_COUNT; measure++)
		check_measure(measure);
	check_thresholds();
	check_exact();
	printf("1..%d\n", test_number);
	return failures > 0;
}
