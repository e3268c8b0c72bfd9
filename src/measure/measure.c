/*
 * measure.c
 *		The one definition of each similarity measure.
 *
 * Scalar functions, indexes and joins must agree on every pair, including the pairs that lie
 * exactly on the threshold. Formulas in double precision do not agree with each other there: the
 * fraction t / (1 + t) * (a + b) for t = 0.8 may come out just above a whole number, and the
 * ceiling of it would then lose a pair whose Jaccard similarity is 4/5. So there is one predicate,
 * which computes the value of the measure in double precision and compares it with the threshold,
 * and every bound is defined by it: the least overlap α of two sizes is the least integer for which
 * the predicate holds. A formula only supplies a first guess, from which the bound moves by ones
 * until the predicate changes its answer. Rounding therefore loses no pair: 7/10 at a threshold of
 * 0.7 and 4/5 at 0.8 are results.
 *
 * The value is one division of exactly represented integers, or a division by one square root, so
 * it is rounded once or twice. It agrees with the comparison in rational arithmetic for sizes below
 * 2^26, and for cosine below 2^18. The weighted measures take sums of weights that are exact
 * integers; as IEEE arithmetic is the same everywhere, so is their value.
 */
#include "c.h"

#include <float.h>
#include <math.h>

#include "measure/measure.h"

/* The Makefile has compilers for i386 take SSE2 for this. */
#if FLT_EVAL_METHOD == 2 || FLT_EVAL_METHOD < 0
#error "neardup needs arithmetic that rounds to double precision: -msse2 -mfpmath=sse"
#endif

static const char *const measure_names[] = {"jaccard",	   "cosine",	 "dice",
											"overlap",	   "hamming",	 "containment",
											"idf_jaccard", "idf_cosine", "edit"};

/* Finds a name among the measures from `first` to `end`, exclusive; false if it is not there. */
static bool
find_name(const char *name, int first, int end, Measure *measure)
{
	for (int i = first; i < end; i++)
	{
		if (strcmp(name, measure_names[i]) == 0)
		{
			*measure = (Measure) i;
			return true;
		}
	}
	return false;
}

bool
MeasureByName(const char *name, Measure *measure)
{
	return find_name(name, 0, MEASURE_COUNT, measure);
}

bool
WeightedMeasureByName(const char *name, Measure *measure)
{
	return find_name(name, MEASURE_COUNT, MEASURE_EDIT, measure);
}

Measure
MeasureUnweighted(Measure measure)
{
	switch (measure)
	{
		case MEASURE_IDF_JACCARD:
			return MEASURE_JACCARD;
		case MEASURE_IDF_COSINE:
			return MEASURE_COSINE;
		default:
			return measure;
	}
}

const char *
MeasureName(Measure measure)
{
	return measure_names[measure];
}

/* Each comparison is false for NaN, which is therefore not valid. */
bool
MeasureThresholdIsValid(Measure measure, double threshold)
{
	switch (measure)
	{
		case MEASURE_OVERLAP:
			return threshold >= 1 && threshold <= PG_INT32_MAX && floor(threshold) == threshold;
		case MEASURE_HAMMING:
		case MEASURE_EDIT:
			return threshold >= 0 && threshold <= PG_INT32_MAX && floor(threshold) == threshold;
		default:
			return threshold > 0 && threshold <= 1;
	}
}

bool
PredicateHoldsForAll(Predicate predicate)
{
	return MeasureIsDistance(predicate.measure) ? predicate.threshold > DBL_MAX
												: predicate.threshold <= 0;
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
		case MEASURE_IDF_JACCARD:
			return (double) overlap / (double) (a + b - overlap);
		case MEASURE_COSINE:
			return (double) overlap / sqrt((double) (a * b));
		case MEASURE_IDF_COSINE:
			return (double) overlap / sqrt((double) a * (double) b);
		case MEASURE_DICE:
			return (double) (2 * overlap) / (double) (a + b);
		case MEASURE_CONTAINMENT:
			return (double) overlap / (double) a;
		default:
			return (double) overlap;
	}
}

/*
 * Returns how many of a text's padded q-grams k edits can change: an edit of a character changes
 * the q grams that contain it.
 */
static int64
edited_grams(Predicate predicate)
{
	return (int64) predicate.threshold * predicate.gram_length;
}

/*
 * The predicate for sets that are not empty. The overlap may be one that such sets cannot have,
 * such as -1 or more than the smaller size, since the bounds ask on both sides of the possible.
 */
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
	if (PredicateHoldsForAll(predicate))
		return true;
	return ((a > 0 && b > 0) || predicate.with_empty) && reaches(predicate, overlap, a, b);
}

/*
 * Returns a first guess of α: the solution of value(overlap) = threshold for the overlap, rounded
 * up. Rounding errors may make it too large or too small by a few.
 */
static int64
guess_least_overlap(Predicate predicate, int64 a, int64 b)
{
	double t = predicate.threshold;

	switch (predicate.measure)
	{
		case MEASURE_JACCARD:
			return (int64) ceil(t / (1 + t) * (double) (a + b));
		case MEASURE_COSINE:
			return (int64) ceil(t * sqrt((double) (a * b)));
		case MEASURE_DICE:
			return (int64) ceil(t * (double) (a + b) / 2);
		case MEASURE_CONTAINMENT:
			return (int64) ceil(t * (double) a);
		case MEASURE_HAMMING:
			return (int64) ceil(((double) (a + b) - t) / 2);
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
	int64 overlap;

	if (PredicateHoldsForAll(predicate))
		return 0;
	overlap = guess_least_overlap(predicate, a, b);

	/*
	 * Move up to an overlap that suffices, but no further than the first that these sizes cannot
	 * have. If the guess lies beyond the smaller size although that one suffices, begin there. Then
	 * move down as long as one less suffices too.
	 */
	while (overlap <= Min(a, b) && !reaches(predicate, overlap, a, b))
		overlap++;
	if (overlap > Min(a, b) && reaches(predicate, Min(a, b), a, b))
		overlap = Min(a, b);
	while (reaches(predicate, overlap - 1, a, b))
		overlap--;
	return overlap;
}

int64
PredicateNoOverlapSize(Predicate predicate, int64 a)
{
	if (PredicateHoldsForAll(predicate))
		return PG_INT32_MAX;
	if (predicate.measure == MEASURE_HAMMING)
		return Max((int64) predicate.threshold - a, 0);
	if (predicate.measure == MEASURE_EDIT && a <= edited_grams(predicate))
		return a;
	return 0;
}

/* Returns whether sets of these sizes are similar when the smaller one is a subset of the other. */
static bool
sizes_can_match(Predicate predicate, int64 a, int64 b, bool is_right)
{
	return is_right ? reaches(predicate, Min(a, b), b, a) : reaches(predicate, Min(a, b), a, b);
}

int64
PredicateLeastSize(Predicate predicate, int64 a, bool is_right)
{
	double t = predicate.threshold;
	int64 size;

	if (PredicateHoldsForAll(predicate))
		return 1;
	switch (predicate.measure)
	{
		case MEASURE_JACCARD:
			size = (int64) ceil(t * (double) a);
			break;
		case MEASURE_CONTAINMENT:
			size = is_right ? 1 : (int64) ceil(t * (double) a);
			break;
		case MEASURE_COSINE:
			size = (int64) ceil(t * t * (double) a);
			break;
		case MEASURE_DICE:
			size = (int64) ceil(t / (2 - t) * (double) a);
			break;
		case MEASURE_HAMMING:
		case MEASURE_EDIT:
			return Max(a - (int64) t, 1);
		default:
			return (int64) t;
	}
	size = Max(size, 1);
	while (!sizes_can_match(predicate, a, size, is_right))
		size++;
	while (size > 1 && sizes_can_match(predicate, a, size - 1, is_right))
		size--;
	return size;
}

int64
PredicateGreatestSize(Predicate predicate, int64 a, bool is_right)
{
	double t = predicate.threshold;
	double guess;
	int64 size;

	if (PredicateHoldsForAll(predicate))
		return PG_INT32_MAX;
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
		case MEASURE_CONTAINMENT:
			guess = is_right ? (double) a / t : PG_INT32_MAX;
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
	while (!sizes_can_match(predicate, a, size, is_right))
		size--;
	while (sizes_can_match(predicate, a, size + 1, is_right))
		size++;
	return size;
}

/* α does not decrease with the size of the other set: it is least for the least that can be similar. */
int64
PredicateLeastOverlapOfAny(Predicate predicate, int64 a, bool is_right)
{
	return PredicateLeastOverlapBySide(predicate, a, PredicateLeastSize(predicate, a, is_right),
									   is_right);
}
