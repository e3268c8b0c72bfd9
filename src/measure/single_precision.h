/*
 * single_precision.h
 *		Comparisons of a Jaccard similarity in single precision, as thresholds in double precision.
 */
#ifndef NEARDUP_SINGLE_PRECISION_H
#define NEARDUP_SINGLE_PRECISION_H

/* Comparisons of a similarity, or of its distance 1 - similarity, with a threshold. */
typedef enum SingleComparison
{
	SINGLE_SIMILARITY_GE,
	SINGLE_SIMILARITY_GT,
	SINGLE_DISTANCE_LE,
	SINGLE_DISTANCE_LT
} SingleComparison;

/* The least possible threshold that no similarity reaches. */
#define SINGLE_NEVER 2.0

/*
 * Returns whether a similarity in single precision compares so with the threshold, in double
 * precision and with NaN above all numbers, as PostgreSQL compares them.
 */
extern bool SingleComparisonHolds(SingleComparison comparison, float similarity, double threshold);

/*
 * Returns the threshold t for which the Jaccard similarity in double precision is at least t
 * exactly where the one in single precision compares so with the threshold. This is true of all
 * sets whose union has at most 2^24 tokens. It is 0 if the comparison holds for all similarities,
 * SINGLE_NEVER if it holds for none, and otherwise greater than 0 and less than 1.
 */
extern double SingleComparisonThreshold(SingleComparison comparison, double threshold);

#endif
