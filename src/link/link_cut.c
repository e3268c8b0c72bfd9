/*
 * link_cut.c
 *		Where the list of the likely links of two tables is cut, and how sure that is.
 *
 * A pair is scored by its similarity s and by the greatest similarity m of either row to a third
 * row: s + (s - m) / 2. The list of pairs is cut where the expected F1 is greatest. That takes the
 * expected number of false pairs above each score, and nobody gives labels. So the rows themselves tell
 * with what score a row would be listed that has no partner. The second most similar row of a row is no
 * partner, if the tables have no duplicates of their own, and it behaves as the most similar row of a row
 * without a partner does, but for being the second. If F is the distribution of the best score of a row
 * without a partner, the second best of n independent ones has the distribution F (1 - ln F); a share p
 * of the rows has no partner, and only of these is the second one really the second, so what is seen is
 * F (1 - p ln F), which is solved for F.
 *
 * The share p is the number of rows whose most similar row is below the median of the second ones,
 * by the number of rows whose second is.
 *
 * One to one, that row may be another's partner, and then a row without a partner would not get it. But
 * siblings, such as the sizes of one product, are all partners of others, and yet are what is listed in
 * error. So there are three answers (NullScore): the one counts siblings as chance, and the others count
 * next to nothing at the end of the list, so that all further pairs seem true there. For these two, the
 * share of true pairs is taken to not rise down the list. Each has its cut, and the middle one is taken.
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

/* The list has so many parts, in which the share of true pairs does not rise, of so many pairs or more. */
#define MOST_PARTS 10
#define LEAST_PAIRS_OF_PART 30

/* A share is that much greater than it was seen, by the square root of the number of false pairs. */
#define SLACK 0.75

/* What a row would be listed with if it had no partner. It is free if no more similar row is listed with it. */
typedef enum NullScore
{
	NULL_OF_NEXT, /* the second most similar row */
	NULL_OF_FREE, /* the most similar free row but the very first one; its rival may be taken */
	NULL_OF_FREE_ALONE /* the same, its rival is free, too */
} NullScore;

/* The list of pairs as the cut sees it: pairs of one score are kept together or not at all. */
typedef struct ScoredList
{
	uint32 count; /* of different scores */
	uint32 *ends; /* by score, how many pairs have it or a higher one */
	double *scores;
} ScoredList;

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

static double
null_score(const LinkRow *row, const double *taken, NullScore which)
{
	const double *similarity = row->similarity;
	bool is_free[LINK_NEIGHBORS] = {false};
	int first;

	if (which == NULL_OF_NEXT)
		return LinkScore(similarity[1], similarity[2]);
	for (int rank = 1; rank < LINK_NEIGHBORS; rank++)
		is_free[rank] = similarity[rank] > 0 && taken[row->other[rank]] <= similarity[rank];
	first = is_free[1] ? 1 : 2;
	if (!is_free[first])
		return 0;
	if (which == NULL_OF_FREE)
		return LinkScore(similarity[first], similarity[3 - first]);
	return LinkScore(similarity[first], first == 1 && is_free[2] ? similarity[2] : 0);
}

/* Returns the scores that the rows would be listed with, had they no partner, in ascending order. */
static double *
null_scores(const LinkRow *rows, uint32 row_count, const double *taken, NullScore which)
{
	double *scores = AllocateArray(row_count, sizeof(double));

	for (uint32 row = 0; row < row_count; row++)
	{
		CHECK_FOR_INTERRUPTS();
		scores[row] = null_score(&rows[row], taken, which);
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

static ScoredList
scores_of_list(const LinkPair *pairs, uint32 pair_count)
{
	ScoredList list = {.ends = AllocateArray(pair_count, sizeof(uint32)),
					   .scores = AllocateArray(pair_count, sizeof(double))};

	for (uint32 i = 0; i < pair_count; i++)
	{
		if (i + 1 < pair_count && pairs[i + 1].score == pairs[i].score)
			continue;
		list.scores[list.count] = pairs[i].score;
		list.ends[list.count++] = i + 1;
	}
	return list;
}

/*
 * Returns, by score, the true pairs that are expected among those of this score or a higher one. Neither
 * the false nor the true pairs become fewer down the list.
 */
static double *
expect_true_pairs(const ScoredList *list, const double *nulls, uint32 row_count, double partnerless)
{
	double *expected = AllocateArray(list->count, sizeof(double));
	uint32 below = row_count;
	double most_false = 0;
	double most_true = 0;

	for (uint32 i = 0; i < list->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		while (below > 0 && nulls[below - 1] >= list->scores[i])
			below--;
		most_false =
			Max(most_false, partnerless * row_count *
								(1 - share_below((double) below / row_count, partnerless)));
		most_false = Min(most_false, list->ends[i]);
		most_true = Max(most_true, list->ends[i] - most_false);
		expected[i] = most_true;
	}
	return expected;
}

/*
 * Scales the expected true pairs down in each part of the list whose share of them is greater than that
 * of a part above it, as far as chance may be the reason for less there.
 */
static void
keep_share_from_rising(const ScoredList *list, double *expected)
{
	uint32 pair_count = list->ends[list->count - 1];
	uint32 parts = Max(Min(MOST_PARTS, pair_count / LEAST_PAIRS_OF_PART), 1);
	uint32 before = 0;		/* pairs above the part */
	double true_before = 0; /* of these, as they were expected, */
	double kept_before = 0; /* and as they are now */
	double most = 1;
	uint32 i = 0;

	for (uint32 part = 1; part <= parts; part++)
	{
		uint32 first = i;
		double pairs;
		double true_pairs;
		double scale;
		double seen;

		while (i == 0 || (uint64) list->ends[i - 1] * parts < (uint64) pair_count * part)
			i++;
		if (i == first)
			continue;
		pairs = list->ends[i - 1] - before;
		seen = expected[i - 1];
		true_pairs = seen - true_before;
		scale = true_pairs > most * pairs ? most * pairs / true_pairs : 1;
		for (uint32 j = first; j < i; j++)
			expected[j] = kept_before + (expected[j] - true_before) * scale;
		most = Min(most, (true_pairs + SLACK * sqrt(Max(pairs - true_pairs, 0) + 1)) / pairs);
		before = list->ends[i - 1];
		true_before = seen;
		kept_before = expected[i - 1];
	}
}

/* Returns the F1 that is expected of the pairs down to a score. */
static double
quality_at(const ScoredList *list, const double *expected, uint32 place)
{
	return 2 * expected[place] / (list->ends[place] + expected[list->count - 1]);
}

/* Returns the place of the score at which the greatest F1 is expected, the highest of them. */
static uint32
best_place(const ScoredList *list, const double *expected)
{
	uint32 best = 0;

	for (uint32 i = 1; i < list->count; i++)
	{
		if (quality_at(list, expected, i) > quality_at(list, expected, best))
			best = i;
	}
	return best;
}

static double
middle_of(double *values, int count)
{
	qsort(values, count, sizeof(double), compare_similarities);
	return values[count / 2];
}

/* Sets the cut by what is expected in each of the ways to count false pairs. */
static void
cut_at_middle(LinkCut *cut, const ScoredList *list, double *const expected[], int ways)
{
	double kept[LINK_CUTS] = {0};
	double qualities[LINK_CUTS] = {0};
	double true_pairs[LINK_CUTS] = {0};
	uint32 place = 0;
	uint32 end;

	for (int i = 0; i < ways; i++)
		kept[i] = list->ends[best_place(list, expected[i])];
	end = (uint32) middle_of(kept, ways);
	cut->least_kept = (uint32) kept[0];
	cut->most_kept = (uint32) kept[ways - 1];
	while (list->ends[place] < end)
		place++;
	for (int i = 0; i < ways; i++)
	{
		qualities[i] = quality_at(list, expected[i], place);
		true_pairs[i] = expected[i][place];
	}
	cut->quality = middle_of(qualities, ways);
	cut->true_pairs = middle_of(true_pairs, ways);
	cut->kept = cut->quality > 0 ? end : 0;
}

LinkCut
LinkCutFind(LinkPair *pairs, uint32 pair_count, const LinkRow *rows, uint32 row_count,
			const double *taken)
{
	LinkCut cut = {.partnerless = share_without_partner(rows, row_count)};
	int null_count = taken == NULL ? 1 : LINK_CUTS;
	double *expected[LINK_CUTS];
	ScoredList list;

	if (pair_count == 0)
		return cut;
	qsort(pairs, pair_count, sizeof(LinkPair), compare_link_pairs);
	CHECK_FOR_INTERRUPTS();
	list = scores_of_list(pairs, pair_count);
	for (int i = 0; i < null_count; i++)
	{
		double *nulls = null_scores(rows, row_count, taken, i);

		expected[i] = expect_true_pairs(&list, nulls, row_count, cut.partnerless);
		pfree(nulls);
		if (i != NULL_OF_NEXT)
			keep_share_from_rising(&list, expected[i]);
	}
	cut_at_middle(&cut, &list, expected, null_count);
	for (int i = 0; i < null_count; i++)
		pfree(expected[i]);
	pfree(list.ends);
	pfree(list.scores);
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
