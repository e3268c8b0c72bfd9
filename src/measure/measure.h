/*
 * measure.h
 *		The similarity measures of sets: value, predicate, and the integer
 *		bounds that filters derive from the predicate.
 *
 * Throughout, a and b are the sizes |x| and |y| of two sets, and overlap is
 * |x ∩ y|. All functions are pure; none raises an error. Sizes are below
 * 2^31, so that sums fit an int64 and every value that a predicate compares
 * is exact or rounded once.
 *
 * This header needs nothing of PostgreSQL but the types of c.h.
 */
#ifndef NEARDUP_MEASURE_H
#define NEARDUP_MEASURE_H

typedef enum Measure
{
	MEASURE_JACCARD,	 /* overlap / |x ∪ y| */
	MEASURE_COSINE,		 /* overlap / sqrt(|x| |y|) */
	MEASURE_DICE,		 /* 2 overlap / (|x| + |y|) */
	MEASURE_OVERLAP,	 /* overlap */
	MEASURE_HAMMING,	 /* |x| + |y| - 2 overlap, a distance */
	MEASURE_CONTAINMENT, /* overlap / |x|: how much of x is in y */

	/*
	 * Not a measure of sets, and without a name or a value: x and y are the
	 * padded q-grams of two texts, whose edit distance is to be at most k.
	 * The bounds are those that the distance implies: pairs of texts so close
	 * satisfy the predicate, others may.
	 */
	MEASURE_EDIT
} Measure;

/* The measures that have a name. */
#define MEASURE_COUNT (MEASURE_CONTAINMENT + 1)

/*
 * "x and y are similar": the measure is at least the threshold, or for a
 * distance at most. The threshold must be one that SimilarityThresholdIsValid
 * accepts.
 */
typedef struct Predicate
{
	Measure measure;
	double threshold;
	int32 gram_length; /* q of MEASURE_EDIT, at least 1 */
} Predicate;

/* The measure of this name; false if there is none. */
extern bool MeasureByName(const char *name, Measure *measure);
extern const char *MeasureName(Measure measure);

/* Whether the measure treats x and y differently. */
#define MeasureIsAsymmetric(measure) ((measure) == MEASURE_CONTAINMENT)

/* Whether the predicate is a comparison of MeasureValue, and not only what it implies. */
#define MeasureHasValue(measure) ((measure) != MEASURE_EDIT)

/* In (0, 1]; for overlap a whole number from 1, for hamming from 0, both below 2^31. */
extern bool SimilarityThresholdIsValid(Measure measure, double threshold);

/* The value; 0 for a similarity where a set is empty. */
extern double MeasureValue(Measure measure, int64 overlap, int64 a, int64 b);

/* Whether the pair is similar; false where a set is empty. */
extern bool PredicateHolds(Predicate predicate, int64 overlap, int64 a, int64 b);

/*
 * α: the least overlap for which the predicate holds, for non-empty sets.
 * At most 0 where every pair of these sizes is similar (hamming) or may be
 * (edit); above Min(a, b) where none can be.
 */
extern int64 PredicateLeastOverlap(Predicate predicate, int64 a, int64 b);

/*
 * The greatest size of a set y that is no larger than a set x of size a, or
 * under hamming of any size, and needs no common token with it: α is at most 0
 * for the sizes from PredicateLeastSize to this one. 0 where there is none.
 */
extern int64 PredicateGreatestFreeSize(Predicate predicate, int64 a);

/* Least and greatest size of a set y that can be similar to a set x of size a, from 1 on. */
extern int64 PredicateLeastSize(Predicate predicate, int64 a);
extern int64 PredicateGreatestSize(Predicate predicate, int64 a);

/*
 * The least overlap with a set x of size a that a similar set of any size
 * has. At most 0 where some sets need no common token with x, above a where no
 * set can be similar. For an asymmetric measure, x is the left side or, where
 * x_is_right, the right one.
 */
extern int64 PredicateLeastOverlapOfAny(Predicate predicate, int64 a, bool x_is_right);

/*
 * How many of its first tokens x must look up so that it meets every similar
 * y whose indexed prefix is long enough (Lemma 1 of the paper). 0 where no set
 * can be similar. For an asymmetric measure, x is the left side.
 */
extern int64 PredicateProbingPrefix(Predicate predicate, int64 a);

/*
 * How many of its first tokens y must have in the index, if every x that looks
 * it up is at least as large as y (Lemma 3). For an asymmetric measure y is
 * the right side and x of any size: all of y.
 */
extern int64 PredicateIndexingPrefix(Predicate predicate, int64 b);

#endif
