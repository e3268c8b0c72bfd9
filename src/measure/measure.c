/*
 * measure.c
 *		The one definition of each similarity measure.
 *
 * The predicate decides, in double precision: a pair is similar if the value
 * that the scalar function returns reaches the threshold. Each bound is then
 * found from the predicate itself: a formula gives a first guess, and the
 * guess is moved by ones until the predicate changes its answer. So a pair
 * that lies exactly on the threshold (7/10 at 0.7) is never lost to the
 * rounding of a formula, as it is with ceil(t * a) and the like.
 *
 * Values are one division of exact integers (cosine: one exact product below
 * 2^62 rounded to double, one square root, one division). For sizes below
 * 2^26 the predicate so agrees with rational arithmetic wherever the threshold
 * is a fraction of small integers. Cosine does so only below some 2^18: its
 * values are roots, of which two that differ can be closer than a double
 * tells apart (overlap 8936064 of sizes 10411639 and 22032786 is a little
 * below 0.59, and rounds to it).
 */
#include "c.h"

#include <math.h>

#include "measure/measure.h"

static const char *const measure_names[MEASURE_COUNT] = {"jaccard", "cosine",  "dice",
														 "overlap", "hamming", "containment"};

bool
MeasureByName(const char *name, Measure *measure)
{
	for (int i = 0; i < MEASURE_COUNT; i++)
	{
		if (strcmp(name, measure_names[i]) == 0)
		{
			*measure = (Measure) i;
			return true;
		}
	}
	return false;
}

const char *
MeasureName(Measure measure)
{
	return measure_names[measure];
}

/* Written so that NaN fails. */
bool
SimilarityThresholdIsValid(Measure measure, double threshold)
{
	switch (measure)
	{
		case MEASURE_OVERLAP:
			return threshold >= 1 && threshold <= PG_INT32_MAX && floor(threshold) == threshold;
		case MEASURE_HAMMING:
			return threshold >= 0 && threshold <= PG_INT32_MAX && floor(threshold) == threshold;
		default:
			return threshold > 0 && threshold <= 1;
	}
}

double
MeasureValue(Measure measure, int64 overlap, int64 a, int64 b)
{
	if (measure == MEASURE_HAMMING)
		return (double) (a + b - 2 * overlap);
	if (a == 0 || b == 0)
		return 0;
	switch (measure)
	{
		case MEASURE_JACCARD:
			return (double) overlap / (double) (a + b - overlap);
		case MEASURE_COSINE:
			return (double) overlap / sqrt((double) (a * b));
		case MEASURE_DICE:
			return (double) (2 * overlap) / (double) (a + b);
		case MEASURE_CONTAINMENT:
			return (double) overlap / (double) a;
		default:
			return (double) overlap;
	}
}

/*
 * qk: an edit changes at most q of the padded q-grams of a text, so k edits
 * leave all but qk of the longer text's. (A text of n characters has n + q - 1
 * grams: max(|u|, |v|) + q - 1 - qk of them are common.)
 */
static int64
edited_grams(Predicate predicate)
{
	return (int64) predicate.threshold * predicate.gram_length;
}

/* The predicate for non-empty sets; also asked of overlaps that no pair of these sizes has. */
static bool
reaches(Predicate predicate, int64 overlap, int64 a, int64 b)
{
	double value;

	if (predicate.measure == MEASURE_EDIT)
		return Max(a, b) - Min(a, b) <= (int64) predicate.threshold &&
			   overlap >= Max(a, b) - edited_grams(predicate);
	value = MeasureValue(predicate.measure, overlap, a, b);
	return predicate.measure == MEASURE_HAMMING ? value <= predicate.threshold
												: value >= predicate.threshold;
}

bool
PredicateHolds(Predicate predicate, int64 overlap, int64 a, int64 b)
{
	return a > 0 && b > 0 && reaches(predicate, overlap, a, b);
}

/* As ceil() has it, without libm. */
static inline int64
round_up(double value)
{
	int64 whole = (int64) value;

	return whole + ((double) whole < value);
}

/* First guesses of α; off by one at most for sizes that occur. */
static int64
guess_least_overlap(Predicate predicate, int64 a, int64 b)
{
	double t = predicate.threshold;

	switch (predicate.measure)
	{
		case MEASURE_JACCARD:
			return round_up(t / (1 + t) * (double) (a + b));
		case MEASURE_COSINE:
			return round_up(t * sqrt((double) (a * b)));
		case MEASURE_DICE:
			return round_up(t * (double) (a + b) / 2);
		case MEASURE_CONTAINMENT:
			return round_up(t * (double) a);
		case MEASURE_HAMMING:
			return round_up(((double) (a + b) - t) / 2);
		case MEASURE_EDIT:
			if (Max(a, b) - Min(a, b) > (int64) t)
				return Min(a, b) + 1;
			return Max(a, b) - edited_grams(predicate);
		default:
			return (int64) t;
	}
}

int64
PredicateLeastOverlap(Predicate predicate, int64 a, int64 b)
{
	int64 overlap = guess_least_overlap(predicate, a, b);

	/* Overlaps above the smaller set make no pair, but the bound may lie there. */
	while (overlap <= Min(a, b) && !reaches(predicate, overlap, a, b))
		overlap++;
	if (overlap > Min(a, b) && reaches(predicate, Min(a, b), a, b))
		overlap = Min(a, b);
	while (reaches(predicate, overlap - 1, a, b))
		overlap--;
	return overlap;
}

int64
PredicateGreatestFreeSize(Predicate predicate, int64 a)
{
	if (predicate.measure == MEASURE_HAMMING)
		return Max((int64) predicate.threshold - a, 0);
	if (predicate.measure == MEASURE_EDIT && a <= edited_grams(predicate))
		return a;
	return 0;
}

/* Whether a set of size a can be similar to one of size b: whether the smaller may be a subset. */
static bool
sizes_can_meet(Predicate predicate, int64 a, int64 b)
{
	return reaches(predicate, Min(a, b), a, b);
}

int64
PredicateLeastSize(Predicate predicate, int64 a)
{
	double t = predicate.threshold;
	int64 size;

	switch (predicate.measure)
	{
		case MEASURE_JACCARD:
		case MEASURE_CONTAINMENT:
			size = round_up(t * (double) a);
			break;
		case MEASURE_COSINE:
			size = round_up(t * t * (double) a);
			break;
		case MEASURE_DICE:
			size = round_up(t / (2 - t) * (double) a);
			break;
		case MEASURE_HAMMING:
		case MEASURE_EDIT:
			return Max(a - (int64) t, 1);
		default:
			return (int64) t;
	}
	size = Max(size, 1);
	while (!sizes_can_meet(predicate, a, size))
		size++;
	while (size > 1 && sizes_can_meet(predicate, a, size - 1))
		size--;
	return size;
}

int64
PredicateGreatestSize(Predicate predicate, int64 a)
{
	double t = predicate.threshold;
	double guess;
	int64 size;

	switch (predicate.measure)
	{
		case MEASURE_JACCARD:
			guess = (double) a / t;
			break;
		case MEASURE_COSINE:
			guess = (double) a / (t * t);
			break;
		case MEASURE_DICE:
			guess = (double) a * (2 - t) / t;
			break;
		case MEASURE_HAMMING:
		case MEASURE_EDIT:
			return Min(a + (int64) t, PG_INT32_MAX);
		default:
			return PG_INT32_MAX;
	}
	if (guess >= PG_INT32_MAX)
		return PG_INT32_MAX;
	size = Max((int64) guess, a);
	while (!sizes_can_meet(predicate, a, size))
		size--;
	while (sizes_can_meet(predicate, a, size + 1))
		size++;
	return size;
}

/* α does not fall as the other set grows, so the least size decides. */
int64
PredicateLeastOverlapOfAny(Predicate predicate, int64 a, bool x_is_right)
{
	if (x_is_right && MeasureIsAsymmetric(predicate.measure))
		return PredicateLeastOverlap(predicate, 1, a);
	return PredicateLeastOverlap(predicate, a, PredicateLeastSize(predicate, a));
}

/*
 * Length of the prefix that must meet another's (Lemma 1): all but α - 1
 * tokens, and never more than there are.
 */
static int64
prefix_for_overlap(int64 size, int64 least_overlap)
{
	if (least_overlap > size)
		return 0;
	return Min(size, size - least_overlap + 1);
}

int64
PredicateProbingPrefix(Predicate predicate, int64 a)
{
	/*
	 * α does not fall as b grows, so the least size gives the longest prefix.
	 * Pairs that need no common token do not come from an index: under
	 * hamming the smallest pair that does has a + b = n + 1, α = 1.
	 */
	int64 b = Max(PredicateLeastSize(predicate, a), PredicateGreatestFreeSize(predicate, a) + 1);

	return prefix_for_overlap(a, PredicateLeastOverlap(predicate, a, b));
}

int64
PredicateIndexingPrefix(Predicate predicate, int64 b)
{
	if (MeasureIsAsymmetric(predicate.measure))
		return b;
	return prefix_for_overlap(b, PredicateLeastOverlap(predicate, b, b));
}
