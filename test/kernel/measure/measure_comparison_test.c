/*
 * measure_comparison_test.c
 *		Thresholds of comparisons against the comparisons themselves.
 */
#include "c.h"

#include <float.h>
#include <math.h>

#include "kernel_test.h"
#include "measure/measure_comparison.h"

#define CASES 2000000
#define SMALL 40
#define LARGE 5000000

/* What may stand between a measure and a comparison. */
typedef enum Step
{
	CAST_TO_REAL,
	CAST_REAL_TO_NUMERIC,
	CAST_TO_NUMERIC,
	COMPLEMENT,
	COMPLEMENT_OF_REAL,
	STEP_COUNT
} Step;

/* The steps to a rounded value. */
static Step steps[COMPARED_STEPS];
static int step_count;

static double
with_digits(double value, int digits)
{
	char text[40];

	snprintf(text, sizeof(text), "%.*g", digits, value);
	return strtod(text, NULL);
}

static double
after_step(Step step, double value)
{
	switch (step)
	{
		case CAST_TO_REAL:
			return (float) value;
		case CAST_REAL_TO_NUMERIC:
			return with_digits(value, FLT_DIG);
		case CAST_TO_NUMERIC:
			return with_digits(value, DBL_DIG);
		case COMPLEMENT_OF_REAL:
			return 1.0f - (float) value;
		default:
			return 1 - value;
	}
}

/* Makes random steps, of which an odd number are complements, or an even one. */
static void
choose_steps(bool is_complement)
{
	bool is_odd = false;

	step_count = (int) random_below(COMPARED_STEPS + 1);
	if (is_complement && step_count == 0)
		step_count = 1;
	for (int i = 0; i < step_count; i++)
	{
		bool is_last = i == step_count - 1;

		steps[i] = random_below(is_last ? COMPLEMENT : STEP_COUNT);
		if (is_last && is_odd != is_complement)
			steps[i] = COMPLEMENT + random_below(2);
		is_odd ^= steps[i] >= COMPLEMENT;
	}
}

/* The value that is compared, as PostgreSQL computes it. */
static double
compared_value(Comparison comparison, double value)
{
	if (comparison.number == COMPARED_AS_DOUBLE)
		return comparison.of_complement ? 1 - value : value;
	if (comparison.number == COMPARED_AS_SINGLE)
		return comparison.of_complement ? (float) (1.0 - (float) value) : (float) value;
	for (int i = 0; i < step_count; i++)
		value = after_step(steps[i], value);
	return value;
}

/* Compares as PostgreSQL does, where NaN equals NaN and is above all other numbers. */
static bool
holds(ComparisonOrder order, double value, double number)
{
	int sign = isnan(number) ? -1 : (value > number) - (value < number);

	switch (order)
	{
		case COMPARED_BELOW:
			return sign < 0;
		case COMPARED_AT_MOST:
			return sign <= 0;
		case COMPARED_EQUAL:
			return sign == 0;
		case COMPARED_AT_LEAST:
			return sign >= 0;
		default:
			return sign > 0;
	}
}

/* Returns a value, a neighbour of it in either precision, or a number that no value has. */
static double
number_near(double value)
{
	switch (random_below(12))
	{
		case 0:
			return nextafter(value, 1e9);
		case 1:
			return nextafter(value, -1e9);
		case 2:
			return (double) nextafterf((float) value, 1e9f);
		case 3:
			return (double) nextafterf((float) value, -1e9f);
		case 4:
			return value + (double) random_below(7) / 2 - 1.5;
		case 5:
			return NAN;
		case 6:
			return random_below(2) == 0 ? INFINITY : -INFINITY;
		case 7:
			return (double) random_below(3) - 1;
		default:
			return value;
	}
}

/* Returns a random comparison of similar pairs. */
static Comparison
random_comparison(Measure measure)
{
	Comparison comparison;

	do
	{
		comparison = (Comparison){.order = 1 + random_below(5),
								  .number = random_below(3),
								  .of_complement = random_below(2) == 1};
		if (comparison.number == COMPARED_AS_SINGLE && measure != MEASURE_JACCARD)
			comparison.number = COMPARED_ROUNDED;
	} while (!ComparisonIsOfSimilar(measure, comparison));
	choose_steps(comparison.of_complement);
	return comparison;
}

/* Whether the values that are compared with a number are told from the others by the bound. */
static bool
is_told(Measure measure, Comparison comparison, double value, double number)
{
	double threshold = NAN;
	bool is_true = holds(comparison.order, compared_value(comparison, value), number);
	ComparisonReach reach = ComparisonBound(measure, comparison, number, &threshold);
	bool reaches = reach == REACHED_BY_ALL;

	if (reach == REACHED_BY_SOME)
	{
		if (!MeasureThresholdIsValid(measure, threshold))
			return false;
		reaches = MeasureIsDistance(measure) ? value <= threshold : value >= threshold;
	}
	return ComparisonIsExact(comparison) ? reaches == is_true : reaches || !is_true;
}

static void
test_bounds(void)
{
	uint64 wrong = 0;

	for_each_case (seed, CASES, wrong)
	{
		Measure measure = (Measure) random_below(MEASURE_COUNT);
		uint64 largest = random_below(4) == 0 ? LARGE : SMALL;
		int64 a = (int64) random_below(largest);
		int64 b = (int64) random_below(largest);
		int64 overlap = (int64) random_below((uint64) Min(a, b) + 1);
		double value = MeasureValue(measure, overlap, a, b);
		Comparison comparison = random_comparison(measure);
		double number = number_near(compared_value(comparison, value));
		char text[COMPARISON_TEXT_SIZE];

		ComparisonWrite(measure, comparison, text);
		case_has("%s %.17g, value %.17g", text, number, value);
		wrong += !is_told(measure, comparison, value, number);
	}
	ok(wrong == 0, "the threshold tells the pairs of which a comparison is true");
}

static void
test_texts(void)
{
	uint64 wrong = 0;

	for_each_case (seed, 10000, wrong)
	{
		Measure measure = (Measure) random_below(MEASURE_EDIT + 1);
		Comparison comparison = random_comparison(measure);
		char text[COMPARISON_TEXT_SIZE];
		Measure read_measure;
		Comparison read;

		ComparisonWrite(measure, comparison, text);
		case_has("%s", text);
		wrong += !ComparisonRead(text, &read_measure, &read) || read_measure != measure ||
				 read.order != comparison.order || read.number != comparison.number ||
				 read.of_complement != comparison.of_complement;
	}
	ok(wrong == 0, "a comparison is read as it was written");
}

static void
test_refused_texts(void)
{
	static const char *const texts[] = {
		"",			  "jaccard",	"jaccard ",		  "jaccard <", "1 - jaccard >", "1 - hamming <",
		"hamming >=", "overlap <=", "1 - overlap <=", "nope >",	   "jaccard >= 0",	"rounded",
	};
	uint64 wrong = 0;

	for (int i = 0; i < (int) lengthof(texts); i++)
	{
		Measure measure;
		Comparison comparison;

		wrong += ComparisonRead(texts[i], &measure, &comparison);
	}
	ok(wrong == 0, "what is no comparison of similar pairs is refused");
}

int
main(void)
{
	test_bounds();
	test_texts();
	test_refused_texts();
	return done_testing();
}
