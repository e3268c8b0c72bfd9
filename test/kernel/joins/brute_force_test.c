/*
 * brute_force_test.c
 *		Every algorithm and measure against brute force.
 *
 * Random sets over small and large universes, uniform and skewed; thresholds on exact fractions;
 * the four algorithms; self and R-S joins; alone and with workers.
 */
#include "c.h"

#include "random_sets.h"
#include "kernel_test.h"
#include "test_host.h"

#define MAX_RECORDS 90

/* found[x][y] counts how often the pair was emitted; overlaps are checked on arrival. */
typedef struct Found
{
	const Set *sets;
	uint32 wrong_overlaps;
	uint8 times[MAX_RECORDS][MAX_RECORDS];
} Found;

static void
note_pair(void *context, const JoinRecord *x, const JoinRecord *y, uint64 overlap)
{
	Found *found = context;

	found->times[x->row][y->row]++;
	found->wrong_overlaps += overlap != overlap_of(&found->sets[x->row], &found->sets[y->row]);
}

/* Whether the join emits each similar pair once and no other, and at its end all is done. */
static bool
join_is_right(const Set *sets, uint32 count, uint32 first_right, Predicate predicate,
			  JoinAlgorithm algorithm, JoinHost host, uint64 *pairs)
{
	JoinRecords records;
	JoinEngine engine;
	JoinCounters counters = {0};
	Found *found = calloc(1, sizeof(Found));
	bool directed = MeasureIsDirected(predicate.measure);
	bool right = true;

	found->sets = sets;
	JoinRecordsInit(&records, &host);
	for (uint32 i = 0; i < count; i++)
		JoinRecordsAppend(&records, i, sets[i].tokens, sets[i].size);
	if (first_right > 0)
	{
		records.two_sided = true;
		records.first_right_row = first_right;
	}
	JoinCanonicalize(&records);
	JoinEngineIndex(&engine, &records, NULL, predicate, algorithm);
	JoinEngineFind(&engine, note_pair, found, &counters);
	right &= host.done == host.total;

	for (uint32 x = 0; x < count; x++)
	{
		for (uint32 y = 0; y < count; y++)
		{
			bool similar = PredicateHolds(predicate, overlap_of(&sets[x], &sets[y]), sets[x].size,
										  sets[y].size);
			int times = found->times[x][y];

			if (first_right > 0)
				right &= times == (x < first_right && y >= first_right && similar);
			else if (directed)
				right &= times == (x != y && similar);
			else if (x < y)
				right &= times + found->times[y][x] == similar;
			*pairs += times;
		}
	}
	right &= found->wrong_overlaps == 0;
	if (!right)
		case_has("algorithm %d, right side from row %u", (int) algorithm, first_right);

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

static void
test_joins(Measure measure)
{
	static Set sets[MAX_RECORDS];
	static const uint32 universes[] = {5, 12, 40, 300, 5000};
	uint32 wrong = 0;
	uint64 pairs = 0;

	for_each_case (seed, 60, wrong)
	{
		Predicate predicate;
		uint32 count;

		count = 1 + random_below(MAX_RECORDS);
		make_sets(sets, count, universes[seed % 5], seed % 2, seed % 3 ? 20 : MAX_SET_SIZE);
		predicate = random_predicate(measure);
		for (int algorithm = JOIN_ALLPAIRS; algorithm <= JOIN_AUTO; algorithm++)
		{
			JoinHost host = seed % 2 == 0 ? test_host_with_workers() : test_host();

			/* At times there is room for a part of the arrays only. */
			if (seed % 16 == 8)
				host.arena.size = 64 * (1 + random_below(200));
			wrong += !join_is_right(sets, count, 0, predicate, algorithm, host, &pairs);
			wrong +=
				!join_is_right(sets, count, Max(count / 2, 1), predicate, algorithm, host, &pairs);
			wrong +=
				!join_is_right(sets, count, Max(count / 8, 1), predicate, algorithm, host, &pairs);
		}
	}
	ok(wrong == 0, "%s: 60 seeds, four algorithms, self and R-S = brute force",
	   MeasureName(measure));
	ok(enough(pairs > 1000), "%s: there were pairs to find", MeasureName(measure));
}

int
main(void)
{
	for (int measure = 0; measure < MEASURE_COUNT; measure++)
		test_joins((Measure) measure);
	return done_testing();
}
