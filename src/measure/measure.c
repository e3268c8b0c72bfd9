/*
 * measure.c
 *		The one definition of each similarity measure.
 *
 * A pair is similar if its value in double precision reaches the threshold. A bound starts from a
 * formula and moves by ones until this predicate changes its answer, so that rounding loses no pair
 * on the threshold (7/10 at 0.7). The predicate agrees with rational arithmetic for sizes below
 * 2^26, of cosine below 2^18. Sums of weights are exact integers; their value is as many roundings
 * of IEEE arithmetic, the same everywhere.
 */
#include "c.h"

#include <math.h>

#include "measure/measure.h"

static const char *const measure_names[] = {"jaccard", "cosine",	  "dice",		 "overlap",
											"hamming", "containment", "idf_jaccard", "idf_cosine"};

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
	return find_name(name, MEASURE_COUNT, lengthof(measure_names), measure);
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

/* False for NaN. */
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

/* Padded q-grams that k edits can change. */
static int64
edited_grams(Predicate predicate)
{
	return (int64) predicate.threshold * predicate.gram_length;
}

/* The predicate for non-empty sets and any overlap. */
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

/* First guess of α. */
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
	int64 overlap = guess_least_overlap(predicate, a, b);

	/* The bound may lie above the smaller size. */
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
	if (predicate.measure == MEASURE_HAMMING)
		return Max((int64) predicate.threshold - a, 0);
	if (predicate.measure == MEASURE_EDIT && a <= edited_grams(predicate))
		return a;
	return 0;
}

/* Whether a subset is similar. */
static bool
sizes_can_match(Predicate predicate, int64 a, int64 b)
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
			size = (int64) ceil(t * (double) a);
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
	while (!sizes_can_match(predicate, a, size))
		size++;
	while (size > 1 && sizes_can_match(predicate, a, size - 1))
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
	while (!sizes_can_match(predicate, a, size))
		size--;
	while (sizes_can_match(predicate, a, size + 1))
		size++;
	return size;
}

/* α is least for the least size of the other set. */
int64
PredicateLeastOverlapOfAny(Predicate predicate, int64 a, bool x_is_right)
{
	if (x_is_right && MeasureIsAsymmetric(predicate.measure))
		return PredicateLeastOverlap(predicate, 1, a);
	return PredicateLeastOverlap(predicate, a, PredicateLeastSize(predicate, a));
}
