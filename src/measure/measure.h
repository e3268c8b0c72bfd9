/*
 * measure.h
 *		Similarity measures of sets: value, predicate, bounds.
 *
 * The sets x and y have sizes a and b below 2^31; overlap is |x ∩ y|. Under a weighted measure these
 * are sums of weights below 2^62, and weight_bounds.h has the bounds. Needs c.h only.
 */
#ifndef NEARDUP_MEASURE_H
#define NEARDUP_MEASURE_H

typedef enum Measure
{
	MEASURE_JACCARD, /* overlap / (a + b - overlap) */
	MEASURE_COSINE,	 /* overlap / sqrt(ab) */
	MEASURE_DICE,	 /* 2 overlap / (a + b) */
	MEASURE_OVERLAP,
	MEASURE_HAMMING,	 /* a + b - 2 overlap, a distance */
	MEASURE_CONTAINMENT, /* overlap / a */

	/* Weighted: sums of weights, or of their squares, instead of sizes. */
	MEASURE_IDF_JACCARD,
	MEASURE_IDF_COSINE,

	/* The overlap of padded q-grams that an edit distance implies; has no name or value. */
	MEASURE_EDIT
} Measure;

/* Without those that need weights. */
#define MEASURE_COUNT (MEASURE_CONTAINMENT + 1)

/* The value is at least the threshold, or at most for a distance. */
typedef struct Predicate
{
	Measure measure;
	double threshold;
	int32 gram_length; /* q of MEASURE_EDIT */
} Predicate;

/* False if there is none; of weighted measures apart. */
extern bool MeasureByName(const char *name, Measure *measure);
extern bool WeightedMeasureByName(const char *name, Measure *measure);
extern const char *MeasureName(Measure measure);

#define MeasureIsAsymmetric(measure) ((measure) == MEASURE_CONTAINMENT)

#define MeasureIsWeighted(measure)                                                                 \
	((measure) == MEASURE_IDF_JACCARD || (measure) == MEASURE_IDF_COSINE)

#define MeasureHasValue(measure) ((measure) != MEASURE_EDIT)

/* The measure of sizes that a weighted one is where all weights are equal, else itself. */
extern Measure MeasureUnweighted(Measure measure);

/* In (0, 1]; a whole number from 1 for overlap, from 0 for hamming. */
extern bool MeasureThresholdIsValid(Measure measure, double threshold);

/* A similarity with an empty set is 0. */
extern double MeasureValue(Measure measure, int64 overlap, int64 a, int64 b);

/* False for an empty set. */
extern bool PredicateHolds(Predicate predicate, int64 overlap, int64 a, int64 b);

/*
 * α: least overlap of similar, non-empty sets. At most 0 where they need none, above Min(a, b)
 * where no such sets are similar.
 */
extern int64 PredicateLeastOverlap(Predicate predicate, int64 a, int64 b);

/* Greatest size of a y, under edit at most a, with α at most 0; 0 if none. */
extern int64 PredicateNoOverlapSize(Predicate predicate, int64 a);

/* Sizes of a similar y, at least 1. */
extern int64 PredicateLeastSize(Predicate predicate, int64 a);
extern int64 PredicateGreatestSize(Predicate predicate, int64 a);

/* Least α of x with any y, above a if none is similar; x is left unless x_is_right. */
extern int64 PredicateLeastOverlapOfAny(Predicate predicate, int64 a, bool x_is_right);

#endif
