/*
 * measure.h
 *		Similarity measures of sets: value, predicate, bounds.
 *
 * The two sets are x, on the left, and y, on the right, with a and b tokens, and overlap is |x ∩ y|.
 * Sizes are at least 0 and below 2^31. Under a weighted measure they are not numbers of tokens but
 * sums of the tokens' weights (idf_jaccard) or of the squares of these (idf_cosine), below 2^62; the
 * bounds below do not take such sums, weight_bounds.h has those.
 *
 * A predicate is a measure with a threshold. It holds for no pair with an empty set, unless it is
 * one that all sets satisfy, or a Hamming distance that counts empty sets. α is the least
 * overlap with which two sets of given sizes satisfy it (equation 1 of "Efficient Similarity Joins
 * for Near Duplicate Detection", Xiao et al., WWW 2008), here the least for which the predicate
 * itself holds, in its own rounding.
 *
 * The functions allocate nothing and raise no errors. This header and measure.c need c.h only.
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

	/*
	 * The condition that an edit distance of at most k imposes on the padded q-grams of two texts:
	 * their sizes differ by at most k, and they share all but qk of the larger number of grams. It
	 * is a filter of edit joins and of indexes, without a value.
	 */
	MEASURE_EDIT
} Measure;

/* The number of measures of sets without weights, which are the first ones. */
#define MEASURE_COUNT (MEASURE_CONTAINMENT + 1)

/* The value of the measure is at least the threshold, or for a distance, at most. */
typedef struct Predicate
{
	Measure measure;
	double threshold;
	int32 gram_length; /* q, of MEASURE_EDIT only */
	bool with_empty;   /* of MEASURE_HAMMING only: empty sets have their distances, too */
} Predicate;

/* The q of MEASURE_EDIT in indexes and queries, on which those on disk depend. */
#define EDIT_INDEX_GRAM_LENGTH 2

/* Find a measure without weights, or with weights, by its name; false if there is none. */
extern bool MeasureByName(const char *name, Measure *measure);
extern bool WeightedMeasureByName(const char *name, Measure *measure);

/* Returns the name as SQL has it, a constant; no argument of a function may name MEASURE_EDIT. */
extern const char *MeasureName(Measure measure);

/*
 * Whether exchanging the two sets may change the value, so that (x, y) and (y, x) are two pairs, of
 * which one may be similar alone. What follows from it for one set is in the bounds below, which
 * are told the side of the set.
 */
#define MeasureIsDirected(measure) ((measure) == MEASURE_CONTAINMENT)

#define MeasureIsWeighted(measure)                                                                 \
	((measure) == MEASURE_IDF_JACCARD || (measure) == MEASURE_IDF_COSINE)

#define MeasureHasValue(measure) ((measure) != MEASURE_EDIT)

/* Whether sets are similar at the threshold or below it. */
#define MeasureIsDistance(measure) ((measure) == MEASURE_HAMMING || (measure) == MEASURE_EDIT)

/*
 * Returns the measure that a weighted one equals when all weights are equal; any other measure
 * itself.
 */
extern Measure MeasureUnweighted(Measure measure);

/*
 * Returns whether a threshold is in the range of the measure: a whole number from 1 to 2^31 - 1 for
 * overlap, from 0 to 2^31 - 1 for hamming and edit; otherwise greater than 0 and at most 1. NaN is
 * not valid for any.
 */
extern bool MeasureThresholdIsValid(Measure measure, double threshold);

/*
 * Returns whether all sets satisfy the predicate, the empty one too: a similarity of at least 0, or a
 * distance of at most infinity. Such a threshold is not valid for users, but a comparison with the
 * value of a measure may come to it.
 */
extern bool PredicateHoldsForAll(Predicate predicate);

/*
 * Returns the value of the measure. A similarity with an empty set is 0; the Hamming distance from
 * one is the size of the other set. The measure must not be MEASURE_EDIT.
 */
extern double MeasureValue(Measure measure, int64 overlap, int64 a, int64 b);

/* Returns what is less for more similar pairs: a distance itself, else the negative value. */
static inline double
MeasureDistance(Measure measure, double value)
{
	return measure == MEASURE_HAMMING ? value : -value;
}

/* Returns whether the sets, which may be empty, satisfy the predicate. */
extern bool PredicateHolds(Predicate predicate, int64 overlap, int64 a, int64 b);

/*
 * Returns α, the least overlap with which sets of sizes a and b, both at least 1, are similar. It
 * is at most 0 where such sets are similar without a common token (small ones under hamming), and
 * above Min(a, b) where no such sets are similar.
 */
extern int64 PredicateLeastOverlap(Predicate predicate, int64 a, int64 b);

/*
 * Returns the greatest size of a y that is similar to an x of size a without any common token, 0 if
 * there is none. Under edit only a y that is no larger than x counts.
 */
extern int64 PredicateNoOverlapSize(Predicate predicate, int64 a);

/*
 * The bounds of one set, of size a >= 1: it is on the right if is_right, else on the left. The side
 * matters for directed measures only.
 */

/*
 * Return the least and the greatest size of a set on the other side that can be similar to it (the
 * size filter). The least is 1 or more; the greatest is at most 2^31 - 1, also where the measure
 * sets no limit.
 */
extern int64 PredicateLeastSize(Predicate predicate, int64 a, bool is_right);
extern int64 PredicateGreatestSize(Predicate predicate, int64 a, bool is_right);

/* Returns α of the set and a set of size b >= 1 on the other side. */
static inline int64
PredicateLeastOverlapBySide(Predicate predicate, int64 a, int64 b, bool is_right)
{
	return is_right ? PredicateLeastOverlap(predicate, b, a)
					: PredicateLeastOverlap(predicate, a, b);
}

/*
 * Returns the least α of the set and a set of any size, which is how many of its tokens each set
 * that is similar to it has at least. It is above a where no set is similar.
 */
extern int64 PredicateLeastOverlapOfAny(Predicate predicate, int64 a, bool is_right);

#endif
