/*
 * pair_counts.h
 *		How many pairs of the different sets of a query have which similarity, at bounded work.
 */
#ifndef NEARDUP_LINK_PAIR_COUNTS_H
#define NEARDUP_LINK_PAIR_COUNTS_H

#include "join/query_join.h"

/* Bins of similarity, each a fortieth wide; the last one has the pairs of similarity 1, too. */
#define BINS 40

typedef struct PairCounts
{
	double pairs[BINS]; /* about how many there are, by the bin of their similarity */
	double share;		/* the part of the less similar ones that was sought */
	double all;			/* pairs of any similarity */
} PairCounts;

/* Returns the similarity at which a bin begins. */
static inline double
PairBinStart(int bin)
{
	return (double) bin / BINS;
}

/* Counts a pair of this similarity. */
static inline void
PairCountsAdd(PairCounts *counts, double similarity)
{
	int bin = Min((int) (similarity * BINS), BINS - 1);

	if (bin + 1 < BINS && similarity >= PairBinStart(bin + 1))
		bin++;
	counts->pairs[bin]++;
}

typedef struct PairCounter PairCounter;

/*
 * Reads what the query `sets` returns, one column of sets, or a random part of these if memory does
 * not hold them. The kind and the measure come from `request`, whose query is not used. No pairs
 * less similar than `least` will be counted.
 */
extern PairCounter *PairCounterBegin(const JoinRequest *request, const char *sets, double least);

/*
 * Counts the pairs from a bin on; the counts are good until the next call. If all of them would be
 * too much work, only the pairs of a random part of the rows with all rows are sought, the same
 * part each time, and the counts are estimates.
 */
extern const PairCounts *PairCounterSample(PairCounter *counter, int first_bin);

/*
 * Counts all very similar pairs and replaces their estimates. Very similar is from three fifths on,
 * or from a higher similarity on if there are very many.
 */
extern void PairCounterCompleteSimilar(PairCounter *counter);

extern void PairCounterEnd(PairCounter *counter);

#endif
