/*
 * weighted_filter_test.c
 *		What weighted filters drop is below the threshold.
 *
 * Of sums of weights, from few to as many as there can be, and of records: all pairs of random
 * sets, at thresholds that a pair reaches exactly.
 */
#include "c.h"

#include <float.h>

#include "kernel/engine.h"
#include "kernel/filters/prefix_filter.h"
#include "kernel/filters/verify.h"
#include "kernel/filters/weighted_bitmap.h"
#include "kernel_test.h"
#include "measure/token_weight.h"
#include "random_sets.h"
#include "test_host.h"

#define RECORDS 60

/* Some are zero, some near each other, some as large as can be. */
static int64
random_sum(int64 most)
{
	int64 sum = (int64) (random_bits() >> (2 + random_below(60)));

	if (random_below(4) == 0)
		sum = most - (int64) random_below(1000);
	return Max(Min(sum, most), 0);
}

static void
test_bounds(Measure measure)
{
	int cases = share_of(400000);
	uint32 wrong = 0;
	int similar = 0;

	for_each_case (seed, cases, wrong)
	{
		int64 a = random_sum(INT64CONST(1) << 62);
		int64 b = random_sum(a);
		int64 overlap = random_sum(b);
		double value = MeasureValue(measure, overlap, a, b);
		Predicate predicate = {.measure = measure, .threshold = Min(value, 1)};
		WeightBounds bounds = WeightBoundsOf(predicate);
		double x = WeightExtent(&bounds, a);
		double y = WeightExtent(&bounds, b);

		case_has("%s %.17g, sums " INT64_FORMAT " and " INT64_FORMAT ", overlap " INT64_FORMAT,
				 MeasureName(measure), predicate.threshold, a, b, overlap);
		if (value == 0 || !PredicateHolds(predicate, overlap, a, b))
			continue;
		similar++;
		wrong += (double) overlap < WeightLeastOverlap(&bounds, x, y);
		wrong += y < WeightLeastExtent(&bounds, x);
		wrong += y > WeightGreatestExtent(&bounds, x, (double) overlap);
		wrong += x > WeightGreatestExtent(&bounds, y, (double) overlap);
		wrong += (double) (a - overlap) + (double) (b - overlap) >
				 WeightDifference(&bounds, x, y) * (1 + 4 * DBL_EPSILON);
	}
	ok(wrong == 0, "%s: no bound is above an overlap that reaches the threshold",
	   MeasureName(measure));
	ok(enough(similar > cases / 40), "%s: there were such overlaps", MeasureName(measure));
}

typedef struct Tally
{
	uint32 wrong;
	uint32 similar;
	uint32 dropped_by_bitmap;
	uint32 dropped_by_prefix;
} Tally;

static uint32
distance_of(const uint64 *x, const uint64 *y, uint32 words)
{
	uint32 distance = 0;

	for (uint32 w = 0; w < words; w++)
		distance += __builtin_popcountll(x[w] ^ y[w]);
	return distance;
}

static bool
share_a_token(const uint32 *x, uint32 x_size, const uint32 *y, uint32 y_size)
{
	for (uint32 i = 0; i < x_size; i++)
	{
		for (uint32 j = 0; j < y_size; j++)
		{
			if (x[i] == y[j])
				return true;
		}
	}
	return false;
}

/* y precedes x. */
static void
check_pair(const JoinRecords *records, uint32 x, uint32 y, Measure measure, Tally *tally)
{
	TokenTerms terms = {records->weights, records->weighing.squares};
	const JoinRecord *of_x = &records->records[x];
	const JoinRecord *of_y = &records->records[y];
	const uint32 *x_tokens = JoinRecordTokens(records, of_x);
	const uint32 *y_tokens = JoinRecordTokens(records, of_y);
	int64 overlap = WeightedOverlap(records->host, terms, x_tokens, of_x->size, y_tokens,
									of_y->size, 0x1p62, 0x1p62);
	double value = MeasureValue(measure, overlap, records->totals[x], records->totals[y]);

	for (int i = 0; i < 2; i++)
	{
		Predicate predicate = {.measure = measure, .threshold = i == 0 ? Min(value, 1) : 0.6};
		WeightBounds bounds = WeightBoundsOf(predicate);
		WeightedBitmap bitmap = WeightedBitmapOf(records, &bounds);
		double x_extent = WeightExtent(&bounds, records->totals[x]);
		double y_extent = WeightExtent(&bounds, records->totals[y]);
		double least = WeightLeastExtent(&bounds, x_extent);
		bool similar =
			value > 0 && PredicateHolds(predicate, overlap, records->totals[x], records->totals[y]);
		uint64 made[2][SIGNATURE_MAX_WORDS] = {{0}};
		SignatureScan scan = SignatureScanBest();
		uint32 prefixes[2];
		uint32 unused;
		bool near;
		bool meets;

		WeightedBitmapAdd(&bitmap, &scan, records, x_tokens, of_x->size, made[0]);
		WeightedBitmapAdd(&bitmap, &scan, records, y_tokens, of_y->size, made[1]);
		near = (int64) distance_of(made[0], made[1], bitmap.words) <=
			   WeightedBitmapDistance(&bitmap, &bounds, x_extent, y_extent);
		WeightedPrefixes(records, x, WeightLeastOverlap(&bounds, x_extent, least),
						 WeightLeastOverlap(&bounds, x_extent, x_extent), &prefixes[0], &unused);
		WeightedPrefixes(records, y, 0, WeightLeastOverlap(&bounds, y_extent, y_extent), &unused,
						 &prefixes[1]);
		meets = share_a_token(x_tokens, prefixes[0], y_tokens, prefixes[1]);
		tally->similar += similar;
		tally->wrong += similar && (!near || !meets);
		tally->dropped_by_bitmap += !similar && !near;
		tally->dropped_by_prefix += !similar && !meets;
	}
}

static void
test_records(Measure measure)
{
	static Set sets[RECORDS];
	static const uint32 universes[] = {12, 40, 300, 5000};
	uint32 seeds = tries_all() ? 8 : 4;
	Tally tally = {0};

	for_each_case (seed, seeds, tally.wrong)
	{
		JoinHost host = test_host();
		JoinRecords records;

		make_sets(sets, RECORDS, universes[seed % 4], seed % 2, seed % 3 ? 20 : MAX_SET_SIZE);
		JoinRecordsInit(&records, &host);
		records.weighing = (JoinWeighing){
			.is_weighted = true, .squares = measure == MEASURE_IDF_COSINE, .record_count = RECORDS};
		for (uint32 i = 0; i < RECORDS; i++)
			JoinRecordsAppend(&records, i, sets[i].tokens, sets[i].size);
		JoinCanonicalize(&records);
		for (uint32 x = 0; x < records.record_count; x++)
		{
			for (uint32 y = 0; y < x; y++)
				check_pair(&records, x, y, measure, &tally);
			tally.wrong += x > 0 && records.totals[x] < records.totals[x - 1];
		}
		JoinRecordsFree(&records);
	}
	ok(tally.wrong == 0 && enough(tally.similar > 125 * seeds),
	   "%s: no filter drops a similar pair", MeasureName(measure));
	ok(enough(tally.dropped_by_bitmap > 125 * seeds && tally.dropped_by_prefix > 125 * seeds),
	   "%s: filters drop others", MeasureName(measure));
}

int
main(void)
{
	test_bounds(MEASURE_IDF_JACCARD);
	test_bounds(MEASURE_IDF_COSINE);
	test_records(MEASURE_IDF_JACCARD);
	test_records(MEASURE_IDF_COSINE);
	return done_testing();
}
