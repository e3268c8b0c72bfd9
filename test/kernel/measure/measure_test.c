/*
 * measure_test.c
 *		Properties of src/measure: the predicate against rational arithmetic,
 *		and each bound against its definition by brute force.
 *
 * Thresholds are k/100 for every k (overlap and hamming: the number k), where
 * exact fractions lie and a formula would round; sizes are all up to 60, and
 * random ones far above.
 */
#include "c.h"

#include <inttypes.h>
#include <string.h>

#include "kernel/filters/prefix_filter.h"
#include "kernel_test.h"
#include "measure/measure.h"

/* All sizes up to here are tried, so are set sizes that meet them up to LARGEST. */
#define SMALL 60
#define LARGEST 260

/*
 * Sizes for which the double-precision predicate must be the rational one.
 * Cosine's rational test compares squares: two of them that differ may stand
 * for values less than a rounding error apart from about 2^18 on.
 */
#define EXACT_SIZE (INT64CONST(1) << 26)
#define EXACT_COSINE_SIZE (INT64CONST(1) << 18)

static uint64 wrong;

static void
expect(bool right, const char *what, Predicate p, int64 a, int64 b, int64 got)
{
	if (right)
		return;
	if (wrong++ < 5)
		fprintf(stderr, "# %s: %s %.17g, a = %" PRId64 ", b = %" PRId64 ", got %" PRId64 "\n", what,
				MeasureName(p.measure), p.threshold, a, b, got);
}

static void
finish(Measure measure, const char *rule)
{
	ok(wrong == 0, "%s: %s", MeasureName(measure), rule);
	wrong = 0;
}

static uint64
random_size(uint64 limit)
{
	return (random_bits() >> 11) % limit;
}

static Predicate
predicate(Measure measure, int k)
{
	Predicate p = {.measure = measure, .threshold = k / 100.0};

	if (measure == MEASURE_OVERLAP || measure == MEASURE_HAMMING)
		p.threshold = k;
	return p;
}

/* Hamming alone has the threshold 0. */
static int
first_threshold(Measure measure)
{
	return measure == MEASURE_HAMMING ? 0 : 1;
}

/* The predicate of threshold k in whole numbers, below 2^63 for sizes up to those above. */
static bool
holds_exactly(Measure measure, int64 k, int64 o, int64 a, int64 b)
{
	if (a == 0 || b == 0)
		return false;
	switch (measure)
	{
		case MEASURE_JACCARD:
			return 100 * o >= k * (a + b - o);
		case MEASURE_COSINE:
			return 10000 * o * o >= k * k * a * b;
		case MEASURE_DICE:
			return 200 * o >= k * (a + b);
		case MEASURE_CONTAINMENT:
			return 100 * o >= k * a;
		case MEASURE_OVERLAP:
			return o >= k;
		default:
			return a + b - 2 * o <= k;
	}
}

static bool
can_meet(Predicate p, int64 a, int64 b)
{
	return PredicateHolds(p, Min(a, b), a, b);
}

static void
test_predicate(Measure measure)
{
	for (int k = first_threshold(measure); k <= 100; k++)
	{
		Predicate p = predicate(measure, k);

		for (int64 a = 0; a <= SMALL; a++)
			for (int64 b = 0; b <= SMALL; b++)
				for (int64 o = 0; o <= Min(a, b); o++)
					expect(PredicateHolds(p, o, a, b) == holds_exactly(measure, k, o, a, b),
						   "predicate", p, a, b, o);
	}
	finish(measure, "predicate is the rational one for sizes to 60");
}

/* The overlaps around the threshold, which are the ones at risk. */
static void
test_large(Measure measure)
{
	int64 limit = measure == MEASURE_COSINE ? EXACT_COSINE_SIZE : EXACT_SIZE;
	int cases = share_of(300000);

	for_each_case (seed, cases, wrong)
	{
		int k = 1 + random_size(100);
		Predicate p = predicate(measure, k);
		int64 a = 1 + random_size(random_size(2) ? limit : 5000);
		int64 b = 1 + random_size(random_size(2) ? a : 2 * a < limit ? 2 * a : limit);
		int64 least = PredicateLeastOverlap(p, a, b);

		for (int64 o = Max(least - 2, 0); o <= Min(least + 2, Min(a, b)); o++)
		{
			expect(PredicateHolds(p, o, a, b) == (o >= least), "least overlap", p, a, b, least);
			expect(PredicateHolds(p, o, a, b) == holds_exactly(measure, k, o, a, b), "predicate", p,
				   a, b, o);
		}
		expect((least > Min(a, b)) == !can_meet(p, a, b), "least overlap where none", p, a, b,
			   least);
	}
	finish(measure, "predicate and least overlap for random large sizes");
}

/* Exact multiples of the threshold's fraction: pairs right on the threshold. */
static void
test_on_threshold(Measure measure)
{
	for (int k = 1; k <= 100; k++)
	{
		for (int64 m = 1; m <= 200000; m = m * 3 / 2 + 1)
		{
			Predicate p = predicate(measure, k);
			int64 o = k * m;
			int64 a = 100 * m; /* dice, cosine and containment: o of 100 m each */

			if (measure == MEASURE_JACCARD)
				a = o + (100 - k) * m / 2; /* the union is then 100 m, if m is even or k is */
			if (measure == MEASURE_JACCARD && (100 - k) * m % 2 != 0)
				continue;
			expect(PredicateHolds(p, o, a, a), "on the threshold", p, a, a, o);
			expect(!PredicateHolds(p, o - 1, a, a), "below the threshold", p, a, a, o - 1);
			expect(PredicateLeastOverlap(p, a, a) == o, "least overlap", p, a, a,
				   PredicateLeastOverlap(p, a, a));
		}
	}
	finish(measure, "a pair on the threshold is similar, one token less is not");
}

static void
test_least_overlap(Measure measure)
{
	for (int k = first_threshold(measure); k <= 100; k++)
	{
		Predicate p = predicate(measure, k);

		for (int64 a = 1; a <= SMALL; a++)
			for (int64 b = 1; b <= SMALL; b++)
			{
				int64 least = PredicateLeastOverlap(p, a, b);

				for (int64 o = 0; o <= Min(a, b); o++)
					expect(PredicateHolds(p, o, a, b) == (o >= least), "least overlap", p, a, b,
						   least);
				expect((least > Min(a, b)) == !can_meet(p, a, b), "where none", p, a, b, least);
				expect(measure == MEASURE_HAMMING || least >= 1, "at least 1", p, a, b, least);
			}
	}
	finish(measure, "least overlap");
}

static bool
sides_can_meet(Predicate p, int64 a, int64 b, bool a_is_right)
{
	return a_is_right ? can_meet(p, b, a) : can_meet(p, a, b);
}

static void
test_sizes(Measure measure)
{
	int cases = share_of(200000);

	for (int k = first_threshold(measure); k <= 100; k++)
	{
		Predicate p = predicate(measure, k);

		for (int64 i = 2; i <= 2 * SMALL + 1; i++)
		{
			int64 a = i / 2;
			bool right = i % 2;
			int64 least = PredicateLeastSize(p, a, right);
			int64 greatest = PredicateGreatestSize(p, a, right);
			int64 first = 0;

			for (int64 b = 1; b <= LARGEST; b++)
			{
				bool meets = sides_can_meet(p, a, b, right);

				if (meets && first == 0)
					first = b;
				expect(!meets || (b >= least && b <= greatest), "size", p, a, b, least);
			}
			expect(first == 0 || least == first, "least size", p, a, first, least);
			expect(least >= 1, "least size", p, a, 0, least);
			if (greatest < PG_INT32_MAX)
				expect(sides_can_meet(p, a, greatest, right) &&
						   !sides_can_meet(p, a, greatest + 1, right),
					   "greatest size", p, a, 0, greatest);
		}
	}
	for_each_case (seed, cases, wrong)
	{
		Predicate p = predicate(measure, 1 + random_size(100));
		int64 a = 1 + random_size(EXACT_SIZE);
		bool right = seed % 2;
		int64 least = PredicateLeastSize(p, a, right);
		int64 greatest = PredicateGreatestSize(p, a, right);

		if (measure == MEASURE_OVERLAP && a < p.threshold)
			continue;
		expect(sides_can_meet(p, a, least, right), "least size", p, a, 0, least);
		expect(least == 1 || !sides_can_meet(p, a, least - 1, right), "least size", p, a, 0, least);
		expect(greatest == PG_INT32_MAX || sides_can_meet(p, a, greatest, right), "greatest size",
			   p, a, 0, greatest);
		expect(greatest == PG_INT32_MAX || !sides_can_meet(p, a, greatest + 1, right),
			   "greatest size", p, a, 0, greatest);
	}
	finish(measure, "least and greatest size");
}

/* The least overlap with a set of size a over all sets that are similar to it. */
static void
test_least_overlap_of_any(Measure measure)
{
	int step = tries_all() ? 1 : 3;

	for (int k = 1; k <= 100; k += step)
	{
		Predicate p = predicate(measure, k);

		for (int64 a = 1; a <= SMALL; a++)
		{
			for (int right = 0; right <= 1; right++)
			{
				int64 got = PredicateLeastOverlapOfAny(p, a, right);
				int64 least = a + 1;

				for (int64 b = 1; b <= LARGEST; b++)
				{
					for (int64 o = Min(Min(a, b), least - 1); o >= 0; o--)
					{
						if (PredicateHolds(p, o, right ? b : a, right ? a : b))
							least = o;
					}
				}
				expect(least > a ? got > a : Max(got, 0) == least, "least overlap of any", p, a,
					   right, got);
			}
		}
	}
	finish(measure, "least overlap with sets of any size");
}

/*
 * How far into x, of size a, the first common token of a similar pair may
 * stand: its overlap is at most what is left of x from there.
 */
static int64
deepest_first_token(Predicate p, int64 a, int64 least_b, bool x_is_left)
{
	int64 deepest = 0;

	for (int64 b = least_b; b <= LARGEST; b++)
	{
		int64 left = x_is_left ? a : b;
		int64 right = x_is_left ? b : a;

		for (int64 o = 1; o <= Min(a, b); o++)
		{
			if (!PredicateHolds(p, o, left, right))
				continue;
			/* Pairs that are similar without a common token come from no index. */
			if (!PredicateHolds(p, 0, left, right))
				deepest = Max(deepest, a - o + 1);
			break;
		}
	}
	return deepest;
}

static void
test_prefixes(Measure measure)
{
	int step = tries_all() ? 1 : 3;

	for (int k = first_threshold(measure); k <= 100; k += step)
	{
		Predicate p = predicate(measure, k);

		for (int64 a = 1; a <= SMALL; a++)
		{
			int64 left = PrefixFilterOfSide(p, a, false);
			int64 right = PrefixFilterOfSide(p, a, true);
			int64 indexing = PrefixFilterIndexing(p, a);

			expect(left == deepest_first_token(p, a, 1, true), "left prefix", p, a, 0, left);
			expect(right == deepest_first_token(p, a, 1, false), "right prefix", p, a, 0, right);
			expect(indexing == deepest_first_token(p, a, a, true), "indexing prefix", p, a, 0,
				   indexing);
		}
	}
	finish(measure, "prefixes of both sides, and the indexing prefix");
}

static int64
first_common(uint64 x, uint64 y)
{
	for (int i = 0; i < 64; i++)
		if (x & y & (UINT64CONST(1) << i))
			return i;
	return -1;
}

static int64
count_upto(uint64 set, int64 position)
{
	return __builtin_popcountll(set & ((UINT64CONST(2) << position) - 1));
}

/* Sets as bits of a word, tokens ordered by position; the larger of two looks up. */
static void
test_prefixes_on_sets(Measure measure)
{
	int cases = share_of(3000000);
	int64 similar = 0;

	for_each_case (seed, cases, wrong)
	{
		Predicate p = predicate(measure, first_threshold(measure) + random_size(100));
		uint64 x = random_size(UINT64CONST(1) << 24) & random_size(UINT64CONST(1) << 24);
		uint64 y = x;
		int64 a, b, first;

		for (int change = random_size(9); change > 0; change--)
			y ^= UINT64CONST(1) << random_size(24);
		a = __builtin_popcountll(x);
		b = __builtin_popcountll(y);
		if (!PredicateHolds(p, __builtin_popcountll(x & y), a, b) || PredicateHolds(p, 0, a, b))
			continue;
		similar++;
		first = first_common(x, y);
		expect(first >= 0 && count_upto(x, first) <= PrefixFilterOfSide(p, a, false) &&
				   count_upto(y, first) <= PrefixFilterOfSide(p, b, true) &&
				   (a < b || count_upto(y, first) <= PrefixFilterIndexing(p, b)),
			   "prefixes share no token", p, a, b, first);
	}
	expect(enough(similar > cases / 300), "too few similar pairs", predicate(measure, 1), 0, 0,
		   similar);
	finish(measure, "the prefixes of similar random sets meet");
}

/* Thresholds at the ends of the range: every call ends, and the bounds still hold. */
static void
test_extreme(Measure measure)
{
	static const double fractions[] = {5e-324, 1e-200, 1e-9, 1e-4, 0.9999999999999999, 1};
	static const double counts[] = {1, 2, 100, 1 << 20, PG_INT32_MAX};
	static const int64 sizes[] = {1, 2, 3, 1000, 1 << 20, (1 << 27) - 1};
	bool whole = measure == MEASURE_OVERLAP || measure == MEASURE_HAMMING;

	for (int t = 0; t < (whole ? 5 : 6); t++)
	{
		Predicate p = {.measure = measure, .threshold = whole ? counts[t] : fractions[t]};

		for (int i = 0; i < 36; i++)
		{
			int64 a = sizes[i / 6];
			int64 b = sizes[i % 6];
			int64 least = PredicateLeastOverlap(p, a, b);
			bool meets = can_meet(p, a, b);

			expect((least <= Min(a, b)) == meets, "least overlap", p, a, b, least);
			expect(!meets || PredicateHolds(p, Max(least, 0), a, b), "least overlap", p, a, b,
				   least);
			expect(!meets || least <= 0 || !PredicateHolds(p, least - 1, a, b), "least overlap", p,
				   a, b, least);
			expect(!meets || (PredicateLeastSize(p, a, false) <= b &&
							  PredicateGreatestSize(p, a, false) >= b),
				   "sizes", p, a, b, PredicateLeastSize(p, a, false));
			expect(!meets || (PredicateLeastSize(p, b, true) <= a &&
							  PredicateGreatestSize(p, b, true) >= a),
				   "sizes of the right", p, a, b, PredicateLeastSize(p, b, true));
			expect(PrefixFilterIndexing(p, a) >= 0 && PrefixFilterIndexing(p, a) <= a, "prefix", p,
				   a, b, PrefixFilterIndexing(p, a));
			for (int right = 0; right <= 1; right++)
				expect(PrefixFilterOfSide(p, a, right) >= 0 && PrefixFilterOfSide(p, a, right) <= a,
					   "prefix", p, a, b, PrefixFilterOfSide(p, a, right));
		}
	}
	finish(measure, "extreme thresholds and sizes");
}

/* All sets, of any sizes and with any overlap, satisfy a predicate that holds for all. */
static void
test_all(Measure measure, double threshold)
{
	static const int64 sizes[] = {0, 1, 2, 1000, (1 << 27) - 1};
	Predicate p = {.measure = measure, .threshold = threshold, .gram_length = 2};

	expect(PredicateHoldsForAll(p), "for all", p, 0, 0, 0);
	for (int i = 0; i < 25; i++)
	{
		int64 a = sizes[i / 5];
		int64 b = sizes[i % 5];

		expect(PredicateHolds(p, 0, a, b) && PredicateHolds(p, Min(a, b), a, b), "holds", p, a, b,
			   0);
		expect(PredicateLeastOverlap(p, a, b) <= 0, "least overlap", p, a, b, 0);
		expect(PredicateLeastOverlapOfAny(p, a, true) <= 0, "least overlap of any", p, a, b, 0);
		expect(PredicateLeastSize(p, a, i % 2) <= 1, "least size", p, a, b, 0);
		expect(PredicateGreatestSize(p, a, i % 2) >= b, "greatest size", p, a, b, 0);
		expect(PredicateNoOverlapSize(p, a) >= b, "size without overlap", p, a, b, 0);
	}
	finish(measure, "a threshold that all sets reach");
}

static void
test_holds_for_all(void)
{
	double infinity = 1e308 * 10;

	for (Measure m = 0; m <= MEASURE_EDIT; m++)
	{
		Predicate usual = {.measure = m, .threshold = 1};

		expect(!PredicateHoldsForAll(usual), "for all", usual, 0, 0, 0);
		test_all(m, MeasureIsDistance(m) ? infinity : -infinity);
		if (!MeasureIsDistance(m))
			test_all(m, 0);
	}
}

/* With empty sets, the Hamming distance alone decides; without, it decides for other sets. */
static void
test_empty_sets(void)
{
	for (int t = 0; t < 6; t++)
	{
		Predicate without = {.measure = MEASURE_HAMMING, .threshold = t};
		Predicate with = {.measure = MEASURE_HAMMING, .threshold = t, .with_empty = true};

		for (int i = 0; i < 8 * 8 * 8; i++)
		{
			int64 a = i / 64;
			int64 b = i / 8 % 8;
			int64 o = i % 8;

			if (o > Min(a, b))
				continue;
			expect(PredicateHolds(with, o, a, b) == (a + b - 2 * o <= t), "with empty sets", with,
				   a, b, o);
			expect(PredicateHolds(without, o, a, b) == (a > 0 && b > 0 && a + b - 2 * o <= t),
				   "without empty sets", without, a, b, o);
		}
	}
	finish(MEASURE_HAMMING, "distances of empty sets");
}

static void
test_thresholds(void)
{
	static const double bad[] = {0, -0.5, 1.0000000000000002};
	double infinity = 1e308 * 10;
	double nan = infinity - infinity;

	for (Measure m = 0; m < MEASURE_COUNT; m++)
	{
		bool whole = m == MEASURE_OVERLAP || m == MEASURE_HAMMING;
		Measure found;
		Predicate p = {.measure = m};

		expect(MeasureByName(MeasureName(m), &found) && found == m, "name", p, 0, 0, 0);
		expect(!MeasureThresholdIsValid(m, nan), "NaN", p, 0, 0, 0);
		expect(!MeasureThresholdIsValid(m, infinity), "infinity", p, 0, 0, 0);
		expect(!MeasureThresholdIsValid(m, -1), "-1", p, 0, 0, 0);
		expect(MeasureThresholdIsValid(m, 1), "1", p, 0, 0, 0);
		expect(MeasureThresholdIsValid(m, 0) == (m == MEASURE_HAMMING), "0", p, 0, 0, 0);
		expect(MeasureThresholdIsValid(m, 2) == whole, "2", p, 0, 0, 0);
		expect(MeasureThresholdIsValid(m, 0.5) == !whole, "0.5", p, 0, 0, 0);
		expect(!MeasureThresholdIsValid(m, 2147483648.0), "2^31", p, 0, 0, 0);
		for (int i = 1; i < (int) lengthof(bad); i++)
			expect(!MeasureThresholdIsValid(m, bad[i]), "bad", p, i, 0, 0);
		finish(m, "thresholds and name");
	}
}

int
main(void)
{
	test_thresholds();
	test_holds_for_all();
	test_empty_sets();
	for (Measure m = 0; m < MEASURE_COUNT; m++)
	{
		test_predicate(m);
		test_large(m);
		if (m != MEASURE_OVERLAP && m != MEASURE_HAMMING)
			test_on_threshold(m);
		test_least_overlap(m);
		test_sizes(m);
		test_least_overlap_of_any(m);
		test_prefixes(m);
		test_prefixes_on_sets(m);
		test_extreme(m);
	}
	return done_testing();
}
