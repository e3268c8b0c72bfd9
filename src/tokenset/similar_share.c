/*
 * similar_share.c
 *		Estimates of how many sets of a column are similar, by its statistics.
 *
 * How many rows have a set that is similar to a given one? The estimate is the sum of three numbers.
 *
 * Copies. Tokens of similar sets occur together, in copies of one text. ANALYZE has found the
 * families of near-duplicate sets, and how large they are. The value is compared with all of them
 * (set_families.c).
 *
 * Chance. Sets of few or of frequent tokens are also similar without being copies. A set of b
 * tokens is taken to have each token of the value independently, with the token's frequency times
 * b / mean size. The number of these tokens that it has is then a sum of independent ones, whose
 * distribution is computed token by token. The set is similar if the number is α or more, for the α
 * of the two sizes; this is done for some sizes that the column has.
 *
 * That the tokens of the value are independent is least true of frequent ones, so the chance is
 * bounded. Each similar row has at least α of the value's q tokens. So it has at least c = α - q + k
 * of the k rarest, whose frequencies are f1, ..., fk. Count, over all rows, the occurrences of these
 * k tokens: they are f1 + ... + fk times the number of rows, and each similar row takes at least c
 * of them. So the fraction of similar rows is at most
 *
 *		(f1 + ... + fk) / c
 *
 * for each k with which c is positive, and the least of these is taken. For example, of five tokens
 * with the frequencies 0.001, 0.01, 0.1, 0.2 and 0.5, with α = 4, a row must have one of the two
 * rarest: at most 0.011.
 *
 * The value's own row, and the mean number of similar rows in the families that are too small to be
 * kept.
 *
 * The most common sets are compared with the value as well; there are no fewer similar rows than
 * rows that have one of these which is similar.
 */
#include "postgres.h"

#include <math.h>

#include "kept_shares.h"
#include "measure/threshold.h"
#include "tokenset/similar_share.h"
#include "tokenset/similarity.h"

/* Sizes for which chance is computed, and of how many of the value's tokens at most. */
#define SIZE_CLASSES 10
#define CHANCE_TOKENS 64

/* A chance that makes less than so many rows similar is neglected. */
#define NEGLIGIBLE_ROWS 0.1

/* Sets whose Jaccard similarity is 0.6, the least one of a family, share this part of tokens. */
#define FAMILY_LEAST_SHARED 0.75

static int
compare_doubles(const void *a, const void *b)
{
	double x = *(const double *) a;
	double y = *(const double *) b;

	return x < y ? -1 : x > y;
}

/* Returns the frequencies of a set's tokens in a new array, ascending. */
static double *
ascending_frequencies(SetStatistics *stats, const Tokenset *set)
{
	int32 count = TokensetCount(set);
	double *frequencies = palloc_extended(Max(count, 1) * sizeof(double), MCXT_ALLOC_HUGE);

	for (int32 i = 0; i < count; i++)
		frequencies[i] = TokenFrequency(stats, set->tokens[i]);
	qsort(frequencies, count, sizeof(double), compare_doubles);
	return frequencies;
}

/*
 * Returns an upper bound of the fraction of sets that have at least `overlap` of `count` tokens,
 * whose frequencies ascend, as the head of this file explains.
 */
static double
overlap_bound(const double *frequencies, int32 count, int64 overlap)
{
	double bound = 1;
	double sum = 0;

	if (overlap <= 0)
		return 1;
	for (int64 k = 1; k <= count; k++)
	{
		sum += frequencies[k - 1];
		if (k > count - overlap)
			bound = Min(bound, sum / (double) (overlap - count + k));
	}
	return overlap > count ? 0 : bound;
}

/*
 * Returns which part of their tokens similar sets of this size share at least, from 0.2 to 1. It
 * says how strict a predicate is, whatever its measure.
 */
static double
shared_part(Predicate predicate, double size)
{
	int64 count = (int64) Max(size, 1);
	double shared = (double) PredicateLeastOverlap(predicate, count, count) / (double) count;

	return Min(Max(shared, 0.2), 1);
}

/*
 * Returns the typical number of rows that are similar to a row's set, itself included, where
 * nothing is known of the column's families. It is 1 where all tokens must be shared.
 */
static double
typical_rows(double shared)
{
	return pow((2 - shared) / shared, 2);
}

/*
 * Returns the fraction of pairs of different sets that are similar. *others becomes the part of
 * families that are not kept. Families have no members below some similarity; typical numbers of
 * rows tell how many pairs more there are at a lower one.
 */
static double
similar_pairs(SetStatistics *stats, Predicate predicate, double *others)
{
	const SetFamilies *families = SetStatisticsFamilies(stats);
	double shared = shared_part(predicate, stats->average_size);
	double pairs;
	double more;

	*others = (typical_rows(shared) - 1) / stats->rows;
	if (families == NULL)
		return 0;
	more = typical_rows(shared) / typical_rows(FAMILY_LEAST_SHARED);
	pairs = FamiliesSimilarPairs(families, shared / (2 - shared), others);
	*others *= Max(more, 1);
	return pairs * Max(more, 1);
}

/* Returns the probability that at least `least` of independent events occur, of some at most. */
static double
probability_of_some(const double *probabilities, int count, int least)
{
	double exactly[CHANCE_TOKENS + 1] = {1}; /* this many of the first i events */
	double sum = 0;

	for (int i = 0; i < count; i++)
	{
		double p = probabilities[i];

		exactly[i + 1] = exactly[i] * p;
		for (int k = i; k > 0; k--)
			exactly[k] = exactly[k] * (1 - p) + exactly[k - 1] * p;
		exactly[0] *= 1 - p;
	}
	for (int k = count; k >= Max(least, 0); k--)
		sum += exactly[k];
	return Min(sum, 1);
}

/*
 * Returns the probability that a set has `overlap` of `count` tokens by chance, if it has each with
 * `factor` times its frequency. Of many tokens only each so many-th is looked at. Where the bound of
 * Chernoff is below `negligible`, the probability is taken to be 0.
 */
static double
chance_of_overlap(const double *frequencies, int32 count, int64 overlap, double factor,
				  double negligible)
{
	double probabilities[CHANCE_TOKENS];
	int taken = Min(count, CHANCE_TOKENS);
	double least = (double) overlap * taken / count;
	double mean = 0;

	for (int i = 0; i < taken; i++)
	{
		probabilities[i] = Min(frequencies[(int64) i * count / taken] * factor, 1);
		mean += probabilities[i];
	}
	if (mean <= 0 || (least > mean && exp(least - mean + least * log(mean / least)) < negligible))
		return 0;
	return probability_of_some(probabilities, taken, (int) ceil(least));
}

/* Returns the fraction of sets that are similar to a value by chance, as the head explains. */
static double
similar_by_chance(SetStatistics *stats, Predicate predicate, const Tokenset *value,
				  bool value_is_right)
{
	int32 count = TokensetCount(value);
	double *frequencies = ascending_frequencies(stats, value);
	double negligible = NEGLIGIBLE_ROWS / stats->rows;
	double share = 0;

	for (int i = 0; i < SIZE_CLASSES; i++)
	{
		int64 size = (int64) SizeOfClass(stats, i, SIZE_CLASSES);
		double factor = size / Max(stats->average_size, 1);
		int64 overlap;
		double chance;

		if (size == 0)
			continue;
		overlap = value_is_right ? PredicateLeastOverlap(predicate, size, count)
								 : PredicateLeastOverlap(predicate, count, size);
		if (overlap > Min(size, count))
			continue;
		chance =
			overlap <= 0 ? 1 : chance_of_overlap(frequencies, count, overlap, factor, negligible);
		if (chance > negligible)
			chance = Min(chance, factor * overlap_bound(frequencies, count, overlap));
		share += chance / SIZE_CLASSES;
	}
	pfree(frequencies);
	return share;
}

/* Returns the fraction of rows that have one of the most common sets, and a similar one. */
static double
common_sets_share(SetStatistics *stats, Predicate predicate, Datum value, bool value_is_right)
{
	double share = 0;

	for (int i = 0; i < stats->sets.nvalues; i++)
	{
		Datum set = stats->sets.values[i];

		if (value_is_right ? TokensetDatumsSimilar(predicate, set, value)
						   : TokensetDatumsSimilar(predicate, value, set))
			share += stats->sets.numbers[i];
	}
	return share;
}

double
SimilarToKnown(SetStatistics *stats, Predicate predicate, const Tokenset *value,
			   bool value_is_right)
{
	const SetFamilies *families = SetStatisticsFamilies(stats);
	double share;
	double common;
	double others;

	if (TokensetCount(value) == 0)
		return 0;
	SetStatisticsRead(stats);
	share = similar_by_chance(stats, predicate, value, value_is_right);
	if (families != NULL)
		share += FamiliesSimilarTo(families, predicate, value, value_is_right);
	share *= 1 - stats->null_fraction;
	common = common_sets_share(stats, predicate, PointerGetDatum(value), value_is_right);
	similar_pairs(stats, predicate, &others);
	return Min(Max(Max(share, common), 1 / stats->rows) + others, 1 - stats->null_fraction);
}

double
MeanCommonTokens(const SetStatistics *x, const SetStatistics *y)
{
	double common = 0;
	double unlisted = x->average_size;
	int place = 0;

	for (int i = 0; i < x->tokens.nvalues; i++)
	{
		Token token = DatumGetInt64(x->tokens.values[i]);
		double frequency = x->tokens.numbers[i];
		bool is_listed;

		while (place < y->tokens.nvalues && DatumGetInt64(y->tokens.values[place]) < token)
			place++;
		is_listed = place < y->tokens.nvalues && DatumGetInt64(y->tokens.values[place]) == token;
		common += frequency * (is_listed ? y->tokens.numbers[place] : y->rest_frequency);
		unlisted -= frequency;
	}
	return common + Max(unlisted, 0) * y->rest_frequency;
}

/*
 * Sets the fraction of pairs of sets that share a token, which is mostly chance: the number of common
 * tokens is taken for that of a Poisson distribution. Returns false for a predicate that asks for more,
 * and where a column has no statistics.
 */
static bool
share_by_one_token(SetStatistics *x, SetStatistics *y, Predicate predicate, double *share)
{
	if (predicate.measure != MEASURE_OVERLAP || predicate.threshold > 1)
		return false;
	SetStatisticsRead(x);
	SetStatisticsRead(y);
	if (!SetStatisticsAreKnown(x) || !SetStatisticsAreKnown(y))
		return false;
	*share = (1 - exp(-MeanCommonTokens(x, y))) * (1 - x->null_fraction) * (1 - y->null_fraction);
	return true;
}

/* Computes the fraction of rows that are similar to a value that is not known. */
static double
compute_similar_to_unknown(SetStatistics *stats, Predicate predicate)
{
	double others;
	double selectivity = similar_pairs(stats, predicate, &others);
	double common = 0;

	if (share_by_one_token(stats, stats, predicate, &selectivity))
		return selectivity;
	SetStatisticsRead(stats);
	for (int i = 0; i < stats->sets.nvalues; i++)
		common += stats->sets.numbers[i] * stats->sets.numbers[i];
	selectivity = (selectivity + others) * (1 - stats->null_fraction);
	return Max(selectivity, common) + 1 / stats->rows;
}

double
SimilarToUnknown(SetStatistics *stats, Predicate predicate)
{
	ShareKey key = {.what = SHARE_OF_SETS,
					.x = StatisticsRowOf(stats->row),
					.rows = stats->rows,
					.predicate = predicate};
	double share;

	if (KeptShareFind(&key, &share))
		return share;
	share = compute_similar_to_unknown(stats, predicate);
	KeptSharePut(&key, share);
	return share;
}

/*
 * Returns the fraction of rows of a table that have another similar one in it, by the families of its
 * sets; -1 if nothing is known of them.
 */
static double
share_with_other(SetStatistics *stats, Predicate predicate)
{
	const SetFamilies *families = SetStatisticsFamilies(stats);
	double shared = shared_part(predicate, stats->average_size);

	if (families == NULL)
		return -1;
	return FamiliesWithOther(families, shared / (2 - shared)) * (1 - stats->null_fraction) +
		   1 / stats->rows;
}

double
SimilarInPairs(SetStatistics *left, SetStatistics *right, Predicate predicate)
{
	double share;

	if (share_by_one_token(left, right, predicate, &share))
		return share;
	return Min(SimilarToUnknown(left, predicate), SimilarToUnknown(right, predicate));
}

double
ShareWithSimilar(SetStatistics *left, SetStatistics *right, Predicate predicate, bool same_table)
{
	double share = share_with_other(same_table ? left : right, predicate);

	return same_table && share >= 0 ? share : Max(share, SEMIJOIN_SHARE);
}

double
RarestTokensShare(SetStatistics *stats, Predicate predicate, const Tokenset *value)
{
	int32 count = TokensetCount(value);
	double *frequencies;
	double share;

	SetStatisticsRead(stats);
	frequencies = ascending_frequencies(stats, value);
	share = overlap_bound(frequencies, count, PredicateLeastOverlapOfAny(predicate, count, false));

	pfree(frequencies);
	return share;
}

double
AnyTokenShare(SetStatistics *stats, const Tokenset *value)
{
	double none = 1;

	SetStatisticsRead(stats);
	for (int32 i = 0; i < TokensetCount(value); i++)
		none *= 1 - Min(TokenFrequency(stats, value->tokens[i]), 1);
	return 1 - none;
}
