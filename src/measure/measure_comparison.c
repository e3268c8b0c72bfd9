/*
 * measure_comparison.c
 *		Comparisons of the value of a measure with a number, as thresholds of the measure.
 *
 * A strict comparison becomes one that is not, with the next number. This is exact: the values of a
 * measure are numbers of double precision, and none lies between a number t and the next one t', so
 * that a value above t is at least t'. Sizes of overlaps and distances are whole numbers, and the
 * next one is t + 1.
 *
 * The similarity in single precision is told by single_precision.h. A complement, 1 - value, is
 * rounded, and so is what a cast to real or numeric returns. For these the threshold is lowered by more
 * than the rounding, and the comparison itself decides among the pairs that reach it.
 *
 * Of casts, the one from real to numeric rounds most: it keeps six digits, so that a number changes by
 * at most 5e-6 of itself. Each step begins with the error of the one before, and adds as much of the
 * number, or of 1 where that is greater. So COMPARED_STEPS steps change a value by less than ROUNDING,
 * 6.1e-5, of the greater of the value and 1. A similarity and its complement stay between 0 and 1, since
 * all types have these two numbers and rounding keeps the order.
 */
#include "c.h"

#include <math.h>

#include "measure/measure_comparison.h"
#include "measure/single_precision.h"

/* Subtracting a value between 0 and 1 from 1, and the bound from 1, is rounded by less than this. */
#define COMPLEMENT_ROUNDING 0x1p-50

/* More than COMPARED_STEPS casts and complements change of a number 1. */
#define ROUNDING 0x1p-14

static const char *const orders[] = {NULL, "<", "<=", "=", ">=", ">"};

#define ROUNDED_PREFIX "rounded "
#define COMPLEMENT_PREFIX "1 - "
#define SINGLE_NAME "similarity"

bool
ComparisonIsOfSimilar(Measure measure, Comparison comparison)
{
	if (MeasureIsDistance(measure))
		return comparison.order <= COMPARED_EQUAL && !comparison.of_complement;
	if (measure == MEASURE_OVERLAP && comparison.of_complement)
		return false;
	return comparison.of_complement ? comparison.order <= COMPARED_EQUAL
									: comparison.order >= COMPARED_EQUAL;
}

/* Return a number that exceeds all, or is below all, that rounding takes for this one. */
static double
rounded_up(double number)
{
	return number * (number > 0 ? 1 + ROUNDING : 1 - ROUNDING) + ROUNDING;
}

static double
rounded_down(double number)
{
	return -rounded_up(-number);
}

static ComparisonReach
bound_of_distance(Comparison comparison, double number, double *threshold)
{
	if (isnan(number))
		return comparison.order == COMPARED_EQUAL ? REACHED_BY_NONE : REACHED_BY_ALL;
	if (comparison.number != COMPARED_AS_DOUBLE)
		*threshold = floor(rounded_up(number));
	else if (comparison.order == COMPARED_BELOW)
		*threshold = ceil(number) - 1;
	else
		*threshold = floor(number);
	if (*threshold < 0)
		return REACHED_BY_NONE;
	return *threshold > PG_INT32_MAX ? REACHED_BY_ALL : REACHED_BY_SOME;
}

static ComparisonReach
bound_of_overlap(Comparison comparison, double number, double *threshold)
{
	if (isnan(number))
		return REACHED_BY_NONE;
	if (comparison.number != COMPARED_AS_DOUBLE)
		*threshold = ceil(rounded_down(number));
	else if (comparison.order == COMPARED_ABOVE)
		*threshold = floor(number) + 1;
	else
		*threshold = ceil(number);
	if (*threshold <= 0)
		return REACHED_BY_ALL;
	return *threshold > PG_INT32_MAX ? REACHED_BY_NONE : REACHED_BY_SOME;
}

static SingleComparison
single_comparison(Comparison comparison)
{
	if (comparison.of_complement)
		return comparison.order == COMPARED_BELOW ? SINGLE_DISTANCE_LT : SINGLE_DISTANCE_LE;
	return comparison.order == COMPARED_ABOVE ? SINGLE_SIMILARITY_GT : SINGLE_SIMILARITY_GE;
}

/* Returns the least value of a similarity for which a comparison in double precision may be true. */
static double
least_similarity(Comparison comparison, double number)
{
	double least = number;

	if (comparison.of_complement)
	{
		/* No complement is negative, and each is below NaN. */
		if (number < 0 || (number == 0 && comparison.order == COMPARED_BELOW))
			return HUGE_VAL;
		least = isnan(number) ? 0 : 1 - number - COMPLEMENT_ROUNDING;
	}
	else if (comparison.order == COMPARED_ABOVE && comparison.number == COMPARED_AS_DOUBLE)
		least = nextafter(number, HUGE_VAL);
	return comparison.number == COMPARED_AS_DOUBLE ? least : least - ROUNDING;
}

static ComparisonReach
bound_of_similarity(Comparison comparison, double number, double *threshold)
{
	if (comparison.number == COMPARED_AS_SINGLE)
		*threshold = SingleComparisonThreshold(single_comparison(comparison), number);
	else
		*threshold = least_similarity(comparison, number);
	if (*threshold <= 0)
		return REACHED_BY_ALL;
	/* No value is NaN. */
	return *threshold <= 1 ? REACHED_BY_SOME : REACHED_BY_NONE;
}

ComparisonReach
ComparisonBound(Measure measure, Comparison comparison, double number, double *threshold)
{
	if (MeasureIsDistance(measure))
		return bound_of_distance(comparison, number, threshold);
	if (measure == MEASURE_OVERLAP)
		return bound_of_overlap(comparison, number, threshold);
	return bound_of_similarity(comparison, number, threshold);
}

bool
ComparisonIsExact(Comparison comparison)
{
	if (comparison.order == COMPARED_EQUAL)
		return false;
	return comparison.number == COMPARED_AS_SINGLE ||
		   (comparison.number == COMPARED_AS_DOUBLE && !comparison.of_complement);
}

void
ComparisonWrite(Measure measure, Comparison comparison, char text[COMPARISON_TEXT_SIZE])
{
	bool is_single = comparison.number == COMPARED_AS_SINGLE;

	strcpy(text, comparison.number == COMPARED_ROUNDED ? ROUNDED_PREFIX : "");
	strcat(text, comparison.of_complement ? COMPLEMENT_PREFIX : "");
	strcat(text, is_single ? SINGLE_NAME : MeasureName(measure));
	strcat(text, " ");
	strcat(text, orders[comparison.order]);
}

/* If the text begins with a word, goes on behind it. */
static bool
skip_word(const char **text, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(*text, word, length) != 0)
		return false;
	*text += length;
	return true;
}

/* Reads a name with a space behind it. */
static bool
read_name(const char **text, Measure *measure, Comparison *comparison)
{
	char name[COMPARISON_TEXT_SIZE];
	size_t length = strcspn(*text, " ");

	if (length >= sizeof(name) || (*text)[length] != ' ')
		return false;
	memcpy(name, *text, length);
	name[length] = '\0';
	*text += length + 1;
	if (strcmp(name, SINGLE_NAME) == 0)
	{
		*measure = MEASURE_JACCARD;
		comparison->number = COMPARED_AS_SINGLE;
		return true;
	}
	*measure = MEASURE_EDIT;
	return strcmp(name, MeasureName(MEASURE_EDIT)) == 0 || MeasureByName(name, measure) ||
		   WeightedMeasureByName(name, measure);
}

bool
ComparisonRead(const char *text, Measure *measure, Comparison *comparison)
{
	*comparison = (Comparison){.number = COMPARED_AS_DOUBLE};
	if (skip_word(&text, ROUNDED_PREFIX))
		comparison->number = COMPARED_ROUNDED;
	comparison->of_complement = skip_word(&text, COMPLEMENT_PREFIX);
	if (!read_name(&text, measure, comparison))
		return false;
	for (int order = COMPARED_BELOW; order <= COMPARED_ABOVE; order++)
	{
		if (strcmp(text, orders[order]) == 0)
		{
			comparison->order = (ComparisonOrder) order;
			return ComparisonIsOfSimilar(*measure, *comparison);
		}
	}
	return false;
}
