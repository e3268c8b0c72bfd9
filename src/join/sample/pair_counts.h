/*
 * pair_counts.h
 *		How many pairs of rows have which similarity.
 */
#ifndef NEARDUP_JOIN_PAIR_COUNTS_H
#define NEARDUP_JOIN_PAIR_COUNTS_H

/* Bins of similarity, each a fortieth wide; the last one has what is more similar, too. */
#define BINS 40

typedef struct PairCounts
{
	double pairs[BINS]; /* about how many there are, by the bin of their similarity */
	double share;		/* the part of all pairs that was sought */
	double all;			/* pairs of any similarity */
	double variance;	/* of the sum of the counts, unless only a part of the rows were joined */
} PairCounts;

/* Returns the similarity at which a bin begins. */
static inline double
PairBinStart(int bin)
{
	return (double) bin / BINS;
}

/* Counts a pair of this similarity for `pairs` of them. */
static inline void
PairCountsAdd(PairCounts *counts, double similarity, double pairs)
{
	int bin = (int) Min(similarity * BINS, BINS - 1);

	if (bin + 1 < BINS && similarity >= PairBinStart(bin + 1))
		bin++;
	counts->pairs[bin] += pairs;
}

/* Returns the number of pairs of a number of rows. */
static inline double
PairsOfRows(double rows)
{
	return rows * (rows - 1) / 2;
}

/* Returns the sum of the counts. */
static inline double
PairCountsSum(const PairCounts *counts)
{
	double sum = 0;

	for (int bin = 0; bin < BINS; bin++)
		sum += counts->pairs[bin];
	return sum;
}

#endif
