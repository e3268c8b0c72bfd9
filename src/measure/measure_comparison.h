/*
 * measure_comparison.h
 *		Comparisons of the value of a measure with a number, as thresholds of the measure.
 *
 * A user may write jaccard(x, y) > 0.8, 1 - cosine(x, y) <= 0.2 or hamming(x, y) < 3. Engines and
 * indexes take a predicate, jaccard(x, y) >= t. A comparison keeps its own meaning at every number,
 * also where no predicate has a threshold: similarities of 0 are at least -1, and empty sets have
 * values, too.
 *
 * The functions allocate nothing and raise no errors.
 */
#ifndef NEARDUP_MEASURE_COMPARISON_H
#define NEARDUP_MEASURE_COMPARISON_H

#include "measure/measure.h"

/* How the value is compared with the number behind it. The numbers are the strategies of a B-tree. */
typedef enum ComparisonOrder
{
	COMPARED_BELOW = 1,
	COMPARED_AT_MOST,
	COMPARED_EQUAL,
	COMPARED_AT_LEAST,
	COMPARED_ABOVE
} ComparisonOrder;

/*
 * What is compared. The first number is what nobody has said anything of: of it there is a bound, and
 * the comparison itself decides.
 */
typedef enum ComparedNumber
{
	COMPARED_ROUNDED = 0, /* the value after up to COMPARED_STEPS casts and complements */
	COMPARED_AS_DOUBLE, /* the value in double precision, or a whole number; or one complement of it */
	COMPARED_AS_SINGLE /* a Jaccard similarity in single precision, or one complement in it */
} ComparedNumber;

/* The most casts and complements, 1 - value, between a measure and a comparison that has a bound. */
#define COMPARED_STEPS 8

typedef struct Comparison
{
	ComparisonOrder order;
	ComparedNumber number;
	bool of_complement; /* 1 - value is compared */
} Comparison;

/* Which pairs of values that are not NULL a comparison may be true of. */
typedef enum ComparisonReach
{
	REACHED_BY_NONE,
	REACHED_BY_SOME,
	REACHED_BY_ALL /* also by pairs with empty sets */
} ComparisonReach;

/* Returns the comparison with the sides exchanged. */
static inline ComparisonOrder
ComparisonOrderExchanged(ComparisonOrder order)
{
	return (ComparisonOrder) (COMPARED_BELOW + COMPARED_ABOVE - order);
}

/* Whether a comparison is true of similar pairs, down to some similarity: the others have no bound. */
extern bool ComparisonIsOfSimilar(Measure measure, Comparison comparison);

/*
 * Of a comparison of similar pairs with a number, NaN being above all others, sets the threshold of
 * the measure that all pairs reach for which it is true, if only some pairs may. Under hamming these
 * are also pairs with an empty set, whose distance is the other set's size.
 */
extern ComparisonReach ComparisonBound(Measure measure, Comparison comparison, double number,
									   double *threshold);

/* Whether, conversely, the comparison is true of all pairs that reach the threshold. */
extern bool ComparisonIsExact(Comparison comparison);

/* The size of the longest text of a comparison, with the null byte behind it. */
#define COMPARISON_TEXT_SIZE 48

/*
 * Writes a measure and a comparison as a text, such as "jaccard >" or "1 - cosine <=". Jaccard
 * similarity in single precision, which is pg_trgm's, is called similarity.
 */
extern void ComparisonWrite(Measure measure, Comparison comparison,
							char text[COMPARISON_TEXT_SIZE]);

/* Reads such a text; returns false for any other, such as the name of a measure. */
extern bool ComparisonRead(const char *text, Measure *measure, Comparison *comparison);

#endif
