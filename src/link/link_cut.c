/*
 * link_cut.c
 *		Where the list of the likely links of two tables is cut, and how sure that is.
 *
 * A pair is scored by its similarity s and by the greatest similarity m of either row to a third
 * row: s + (s - m) / 2. The list of pairs is cut where the expected F1 is greatest. That takes the
 * expected number of false pairs above each score, and nobody gives labels. So the scores that rows
 * without a partner would have are told by the rows themselves: the second most similar row of a row
 * is no partner, if the tables have no duplicates of their own, and it behaves as the most similar
 * row of a row without a partner does, but for being the second. If F is the distribution of the
 * best score of a row without a partner, the second best of n independent ones has the distribution
 * F (1 - ln F); a share p of the rows has no partner, and only of these is the second one really
 * the second, so what is seen is F (1 - p ln F), which is solved for F.
 *
 * The share p is the number of rows whose most similar row is below the median of the second ones,
 * by the number of rows whose second is.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "allocate.h"
#include "bisect.h"
#include "link/link_cut.h"

/* The equation is solved by this many steps, each of which brings F closer. */
#define STEPS 40

/* The least share that F is computed for: its logarithm must be finite. */
#define LEAST_SHARE 1e-6

double
LinkRivalSimilarity(const LinkRow *row, uint32 other)
{
	bool is_first = row->similarity[0] > 0 && row->other[0] == other;

	return row->similarity[is_first ? 1 : 0];
}

static int
compare_similarities(const void *left, const void *right)
{
	double x = *(const double *) left;
	double y = *(const double *) right;

	return x < y ? -1 : x > y;
}

/* The highest score first, then by a, b. */
static int
compare_link_pairs(const void *left, const void *right)
{
	const LinkPair *x = left;
	const LinkPair *y = right;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return x->b < y->b ? -1 : x->b > y->b;
}

static double
median_of_sorted(const double *values, Size count)
{
	if (count == 0)
		return 0;
	return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* Returns how many rows have a similarity of this rank, from 0, of at most the limit. */
static uint32
count_up_to(const LinkRow *rows, uint32 row_count, int rank, double limit)
{
	uint32 count = 0;

	for (uint32 row = 0; row < row_count; row++)
		count += rows[row].similarity[rank] <= limit;
	return count;
}

static double
share_without_partner(const LinkRow *rows, uint32 row_count)
{
	double *seconds = AllocateArray(row_count, sizeof(double));
	double median;
	double share;

	for (uint32 row = 0; row < row_count; row++)
		seconds[row] = rows[row].similarity[1];
	qsort(seconds, row_count, sizeof(double), compare_similarities);
	median = median_of_sorted(seconds, row_count);
	pfree(seconds);
	share = (double) count_up_to(rows, row_count, 0, median) /
			Max(count_up_to(rows, row_count, 1, median), 1);
	return Min(share, 1);
}

/* Returns the scores that the second most similar rows would have as pairs, in ascending order. */
static double *
null_scores(const LinkRow *rows, uint32 row_count)
{
	double *scores = AllocateArray(row_count, sizeof(double));

	for (uint32 row = 0; row < row_count; row++)
	{
		CHECK_FOR_INTERRUPTS();
		scores[row] = LinkScore(rows[row].similarity[1], rows[row].similarity[2]);
	}
	qsort(scores, row_count, sizeof(double), compare_similarities);
	return scores;
}

/* Returns the F for which F (1 - partnerless ln F) is the share of null scores that was seen. */
static double
share_below(double seen, double partnerless)
{
	double share = Max(seen, LEAST_SHARE);

	for (int step = 0; step < STEPS; step++)
		share = Max(seen, LEAST_SHARE) / (1 - partnerless * log(share));
	return Min(share, 1);
}

/*
 * Sets expected[k - 1] to the true pairs that are expected among the first k pairs, or among all of
 * the score of the k-th one. Neither the false nor the true pairs become fewer down the list.
 */
static void
expect_true_pairs(const LinkPair *pairs, uint32 pair_count, const double *nulls, uint32 row_count,
				  double partnerless, double *expected)
{
	uint32 below = row_count;
	double most_false = 0;
	double most_true = 0;

	for (uint32 first = 0, end; first < pair_count; first = end)
	{
		double score = pairs[first].score;

		CHECK_FOR_INTERRUPTS();
		for (end = first + 1; end < pair_count && pairs[end].score == score; end++)
			;
		while (below > 0 && nulls[below - 1] >= score)
			below--;
		most_false =
			Max(most_false, partnerless * row_count *
								(1 - share_below((double) below / row_count, partnerless)));
		most_false = Min(most_false, end);
		most_true = Max(most_true, end - most_false);
		for (uint32 i = first; i < end; i++)
			expected[i] = most_true;
	}
}

LinkCut
LinkCutFind(LinkPair *pairs, uint32 pair_count, const LinkRow *rows, const LinkRow *available,
			uint32 row_count)
{
	LinkCut cut = {.partnerless = share_without_partner(rows, row_count)};
	double *nulls = null_scores(available, row_count);
	double *expected = AllocateArray(pair_count, sizeof(double));

	qsort(pairs, pair_count, sizeof(LinkPair), compare_link_pairs);
	CHECK_FOR_INTERRUPTS();
	expect_true_pairs(pairs, pair_count, nulls, row_count, cut.partnerless, expected);
	for (uint32 i = 0; i < pair_count; i++)
	{
		bool is_cut = i + 1 == pair_count || pairs[i + 1].score < pairs[i].score;
		double quality = 2 * expected[i] / (i + 1 + expected[pair_count - 1]);

		if (is_cut && quality > cut.quality)
		{
			cut.kept = i + 1;
			cut.quality = quality;
			cut.true_pairs = expected[i];
		}
	}
	pfree(expected);
	pfree(nulls);
	return cut;
}

static double
lowest_similarity(const LinkPair *pairs, uint32 count)
{
	double lowest = INFINITY;

	for (uint32 i = 0; i < count; i++)
		lowest = Min(lowest, pairs[i].similarity);
	return lowest;
}

/* Returns how many of the sorted values are at most the limit, or below it. */
static Size
rank_in_sorted(const double *values, Size count, double limit, bool or_equal)
{
	Size rank = 0;

	BISECT(Size, rank, count, at, values[at] < limit || (or_equal && values[at] == limit));
	return rank;
}

double
LinkPrecisionLow(const LinkCut *cut, const LinkPair *pairs, const LinkRow *rows, uint32 row_count,
				 double *own, Size own_count)
{
	double median;
	double partnerless;
	double lowest = lowest_similarity(pairs, cut->kept);
	double similar;

	if (cut->kept == 0 || own_count == 0)
		return 0;
	qsort(own, own_count, sizeof(double), compare_similarities);
	median = median_of_sorted(own, own_count);
	partnerless = ((double) count_up_to(rows, row_count, 0, median) / row_count) /
				  ((double) rank_in_sorted(own, own_count, median, true) / own_count);
	similar = (double) (own_count - rank_in_sorted(own, own_count, lowest, false)) / own_count;
	return Max(0, 1 - Min(partnerless, 1) * row_count * similar / cut->kept);
}
