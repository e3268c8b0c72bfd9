/*
 * weighted_test.c
 *		Weighted joins against brute force.
 *
 * Random sets over small and large universes, uniform and skewed; self and R-S joins; list by list and
 * record by record; alone and with workers. Half of the thresholds are the value of a pair, to the
 * bit.
 */
#include "c.h"

#include "random_sets.h"
#include "kernel_test.h"
#include "measure/token_weight.h"
#include "test_host.h"

#define MAX_RECORDS 90

/* Joins that went list by list. */
static uint32 lists;

/* By set, and by two sets: sums of weights. */
typedef struct Sums
{
	int64 totals[MAX_RECORDS];
	int64 overlaps[MAX_RECORDS][MAX_RECORDS];
} Sums;

typedef struct Found
{
	const Sums *sums;
	uint32 wrong_overlaps;
	uint8 times[MAX_RECORDS][MAX_RECORDS];
} Found;

static void
note_pair(void *context, const JoinRecord *x, const JoinRecord *y, uint64 overlap)
{
	Found *found = context;

	found->times[x->row][y->row]++;
	found->wrong_overlaps += (int64) overlap != found->sums->overlaps[x->row][y->row];
}

static bool
has_token(const Set *set, int64 token)
{
	for (uint32 k = 0; k < set->size; k++)
	{
		if (set->tokens[k] == token)
			return true;
	}
	return false;
}

static int64
term_of(const Set *sets, uint32 count, int64 token, bool squares)
{
	uint64 frequency = 0;

	for (uint32 i = 0; i < count; i++)
		frequency += has_token(&sets[i], token);
	return TokenWeightTerm(TokenWeight(count, frequency), squares);
}

static void
add_up(Sums *sums, const Set *sets, uint32 count, bool squares)
{
	memset(sums, 0, sizeof(*sums));
	for (uint32 x = 0; x < count; x++)
	{
		for (uint32 k = 0; k < sets[x].size; k++)
		{
			int64 token = sets[x].tokens[k];
			int64 term = term_of(sets, count, token, squares);

			sums->totals[x] += term;
			for (uint32 y = 0; y < count; y++)
				sums->overlaps[x][y] += has_token(&sets[y], token) ? term : 0;
		}
	}
}

static bool
join_is_right(const Set *sets, const Sums *sums, uint32 count, uint32 first_right,
			  Predicate predicate, JoinAlgorithm algorithm, JoinHost host, uint64 *pairs)
{
	JoinRecords records;
	JoinEngine engine;
	JoinCounters counters = {0};
	Found *found = calloc(1, sizeof(Found));
	bool right = true;

	found->sums = sums;
	JoinRecordsInit(&records, &host);
	records.weighing = (JoinWeighing){.is_weighted = true,
									  .squares = predicate.measure == MEASURE_IDF_COSINE,
									  .record_count = count};
	for (uint32 i = 0; i < count; i++)
		JoinRecordsAppend(&records, i, sets[i].tokens, sets[i].size);
	if (first_right > 0)
	{
		records.two_sided = true;
		records.first_right_row = first_right;
	}
	JoinCanonicalize(&records);
	JoinEngineIndex(&engine, &records, NULL, predicate, algorithm);
	lists += engine.spec.algorithm == JOIN_AUTO;
	JoinEngineFind(&engine, note_pair, found, &counters);
	right &= host.done == host.total;

	for (uint32 x = 0; x < count; x++)
	{
		for (uint32 y = 0; y < count; y++)
		{
			bool similar =
				PredicateHolds(predicate, sums->overlaps[x][y], sums->totals[x], sums->totals[y]);
			int times = found->times[x][y];

			if (first_right > 0)
				right &= times == (x < first_right && y >= first_right && similar);
			else if (x < y)
				right &= times + found->times[y][x] == similar;
			*pairs += times;
		}
	}
	right &= found->wrong_overlaps == 0;
	if (!right)
		case_has("%s %.17g, right side from row %u", MeasureName(predicate.measure),
				 predicate.threshold, first_right);

	JoinEngineFree(&engine);
	JoinRecordsFree(&records);
	if (host.bytes != 0)
	{
		case_has("%zu bytes are not accounted for", host.bytes);
		right = false;
	}
	free(found);
	return right;
}

/* By the engine that is chosen, and record by record. */
static bool
joins_are_right(const Set *sets, const Sums *sums, uint32 count, uint32 first_right,
				Predicate predicate, JoinHost host, uint64 *pairs)
{
	return join_is_right(sets, sums, count, first_right, predicate, JOIN_AUTO, host, pairs) &&
		   join_is_right(sets, sums, count, first_right, predicate, JOIN_PPJOIN, host, pairs);
}

/* A threshold that some pair may reach exactly, or any. */
static double
random_threshold(const Sums *sums, uint32 count, Measure measure)
{
	uint32 x = random_below(count);
	uint32 y = random_below(count);
	double value = MeasureValue(measure, sums->overlaps[x][y], sums->totals[x], sums->totals[y]);

	if (value > 0.05 && value <= 1 && random_below(2) == 0)
		return value;
	return (1 + random_below(10)) / 10.0;
}

static void
test_joins(Measure measure)
{
	static Set sets[MAX_RECORDS];
	static Sums sums;
	static const uint32 universes[] = {5, 12, 40, 300, 5000};
	uint32 wrong = 0;
	uint64 pairs = 0;

	lists = 0;
	for_each_case (seed, 200, wrong)
	{
		uint32 count;

		count = 1 + random_below(MAX_RECORDS);
		make_sets(sets, count, universes[seed % 5], seed % 2, seed % 3 ? 20 : MAX_SET_SIZE);
		add_up(&sums, sets, count, measure == MEASURE_IDF_COSINE);
		for (int i = 0; i < 3; i++)
		{
			Predicate predicate = {.measure = measure,
								   .threshold = random_threshold(&sums, count, measure)};
			JoinHost host = (seed + i) % 2 == 0 ? test_host_with_workers() : test_host();

			/* At times there is room for a part of the arrays only. */
			if (seed % 16 == 8 && host.arena.base != NULL)
				host.arena.size = 64 * (1 + random_below(200));
			wrong += !joins_are_right(sets, &sums, count, 0, predicate, host, &pairs);
			wrong +=
				!joins_are_right(sets, &sums, count, Max(count / 2, 1), predicate, host, &pairs);
			wrong +=
				!joins_are_right(sets, &sums, count, Max(count / 8, 1), predicate, host, &pairs);
		}
	}
	ok(wrong == 0, "%s: 200 seeds, self and R-S = brute force", MeasureName(measure));
	ok(enough(pairs > 1000 && lists > 300), "%s: there were pairs to find, and lists",
	   MeasureName(measure));
}

int
main(void)
{
	test_joins(MEASURE_IDF_JACCARD);
	test_joins(MEASURE_IDF_COSINE);
	return done_testing();
}
