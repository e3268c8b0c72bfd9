/*
 * link_cut.h
 *		Where the list of the likely links of two tables is cut, and how sure that is.
 *
 * The caller gives the most similar rows of each row in the other table, and the list of pairs that
 * may be links. Nothing here knows tokens, measures or keys.
 */
#ifndef NEARDUP_LINK_LINK_CUT_H
#define NEARDUP_LINK_LINK_CUT_H

/* How many of the other table's rows are known of each row. */
#define LINK_NEIGHBORS 3

/* The most similar rows of the other table, the most similar first; 0 where there is none. */
typedef struct LinkRow
{
	double similarity[LINK_NEIGHBORS];
	uint32 other[LINK_NEIGHBORS]; /* undefined where similarity is 0 */
} LinkRow;

typedef struct LinkPair
{
	double similarity;
	double score; /* the similarity, and half of its lead over the best other pair */
	uint32 a;
	uint32 b;
} LinkPair;

/* The list is cut in so many ways, one to one; many to one, in one. */
#define LINK_CUTS 3

typedef struct LinkCut
{
	uint32 kept;	   /* pairs, the first ones of the list: the middle one of the cuts */
	uint32 least_kept; /* pairs, by the other cuts */
	uint32 most_kept;
	double quality; /* expected F1, by which choices of columns are compared; 0 if none is kept */
	double true_pairs;	/* expected among those kept */
	double partnerless; /* share of the rows without a partner */
} LinkCut;

/* Returns the greatest similarity of the row to another row than this; 0 where there is none. */
extern double LinkRivalSimilarity(const LinkRow *row, uint32 other);

/* Returns the score of a pair whose best rival has this similarity. */
static inline double
LinkScore(double similarity, double rival)
{
	return similarity + (similarity - rival) / 2;
}

/*
 * Sorts the pairs, the highest score first, and finds how many of them to keep. `rows` are the
 * `row_count` rows of one table: the table whose rows are in at most one pair each. One to one, `taken`
 * has by row of the other table the similarity of the pair that it is listed in, or 0; many to one, it is
 * NULL. Can be cancelled.
 */
extern LinkCut LinkCutFind(LinkPair *pairs, uint32 pair_count, const LinkRow *rows,
						   uint32 row_count, const double *taken);

/*
 * Returns a share of true pairs among the kept ones by which link_tables decides whether it can
 * tell; it is no bound, since it may be too high. `own` has, for each row of one table or both, the
 * similarity of the most similar row of its own table, or 0; it is sorted.
 */
extern double LinkPrecisionLow(const LinkCut *cut, const LinkPair *pairs, const LinkRow *rows,
							   uint32 row_count, double *own, Size own_count);

#endif
