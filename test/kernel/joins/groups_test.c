/*
 * groups_test.c
 *		Joins of records in groups that are known to be connected, against brute force.
 */
#include "c.h"

#include "kernel/demand/connecting_pairs.h"
#include "kernel/demand/demands.h"
#include "random_sets.h"
#include "kernel_test.h"
#include "test_host.h"

#define MAX_RECORDS 120

typedef struct Case
{
	Set sets[MAX_RECORDS];
	uint32 count;
	Predicate predicate;
	uint32 known[MAX_RECORDS]; /* by row, its group before the join */

	/* As pairs are emitted: */
	uint32 found[MAX_RECORDS]; /* by row, its group */
	uint32 pairs;
	uint32 wrong; /* pairs that are not similar */
} Case;

static bool
are_similar(const Case *test, uint32 x, uint32 y)
{
	return PredicateHolds(test->predicate, overlap_of(&test->sets[x], &test->sets[y]),
						  test->sets[x].size, test->sets[y].size);
}

/* Makes two groups one. */
static void
unite(uint32 *groups, uint32 count, uint32 x, uint32 y)
{
	uint32 from = groups[y];
	uint32 to = groups[x];

	for (uint32 i = 0; i < count; i++)
	{
		if (groups[i] == from)
			groups[i] = to;
	}
}

static void
note_pair(void *context, const JoinRecord *x, const JoinRecord *y, uint64 overlap)
{
	Case *test = context;

	test->pairs++;
	test->wrong += !are_similar(test, x->row, y->row);
	unite(test->found, test->count, x->row, y->row);
}

/* Puts each row into a group of its own, then unites some similar ones. */
static void
make_groups(Case *test, uint32 share)
{
	for (uint32 i = 0; i < test->count; i++)
		test->known[i] = i;
	for (uint32 x = 0; x < test->count; x++)
	{
		for (uint32 y = 0; y < x; y++)
		{
			if (random_below(100) < share && are_similar(test, x, y))
				unite(test->known, test->count, x, y);
		}
	}
}

/* Whether the groups that were found are the connected components. */
static bool
groups_are_components(const Case *test)
{
	uint32 components[MAX_RECORDS] = {0};

	for (uint32 i = 0; i < test->count; i++)
		components[i] = i;
	for (uint32 x = 0; x < test->count; x++)
	{
		for (uint32 y = 0; y < x; y++)
		{
			if (are_similar(test, x, y))
				unite(components, test->count, x, y);
		}
	}
	for (uint32 x = 0; x < test->count; x++)
	{
		for (uint32 y = 0; y < x; y++)
		{
			if ((components[x] == components[y]) != (test->found[x] == test->found[y]))
				return false;
		}
	}
	return true;
}

static bool
join_is_right(Case *test, JoinAlgorithm algorithm, JoinHost host, bool with_workers)
{
	JoinRecords records;
	JoinEngine engine;
	JoinCounters counters = {0};
	int64 keys[MAX_RECORDS];
	uint32 of_key[MAX_RECORDS];
	PairDemand demand = {0};
	bool is_forest;

	test->pairs = test->wrong = 0;
	JoinRecordsInit(&records, &host);
	for (uint32 i = 0; i < test->count; i++)
	{
		JoinRecordsAppend(&records, i, test->sets[i].tokens, test->sets[i].size);
		keys[i] = test->count - 1 - i;
		of_key[keys[i]] = test->known[i];
		test->found[i] = test->known[i];
	}
	JoinCanonicalize(&records);
	PairDemandConnect(&demand, of_key, test->count);
	RecordDemandSet(&records, &demand, keys);
	JoinEngineIndex(&engine, &records, NULL, test->predicate, algorithm);
	is_forest =
		engine.spec.algorithm == JOIN_AUTO && engine.spec.no_overlap_end == 0 && !with_workers;
	JoinEngineFind(&engine, note_pair, test, &counters);
	JoinEngineFree(&engine);
	RecordDemandFree(&records);
	JoinRecordsFree(&records);
	return groups_are_components(test) && test->wrong == 0 && host.bytes == 0 &&
		   (!is_forest || test->pairs < test->count);
}

static void
test_groups(Measure measure)
{
	static const uint32 universes[] = {5, 12, 40, 300};
	static Case test;
	uint32 wrong = 0;
	uint64 pairs = 0;

	for_each_case (seed, 80, wrong)
	{
		test.count = 1 + random_below(MAX_RECORDS);
		make_sets(test.sets, test.count, universes[seed % 4], seed % 2,
				  seed % 3 ? 20 : MAX_SET_SIZE);
		test.predicate = random_predicate(measure);
		for (int algorithm = JOIN_ALLPAIRS; algorithm <= JOIN_AUTO; algorithm++)
		{
			bool with_workers = seed % 5 == 0;

			make_groups(&test, (const uint32[]){0, 3, 40, 100}[random_below(4)]);
			if (!join_is_right(&test, algorithm,
							   with_workers ? test_host_with_workers() : test_host(), with_workers))
			{
				wrong++;
				case_has("algorithm %d", algorithm);
			}
			pairs += test.pairs;
		}
	}
	ok(wrong == 0, "%s: the pairs connect the groups to components", MeasureName(measure));
	ok(enough(pairs > 1000), "%s: there were pairs to find", MeasureName(measure));
}

int
main(void)
{
	for (int measure = 0; measure < MEASURE_COUNT; measure++)
	{
		if (!MeasureIsDirected((Measure) measure))
			test_groups((Measure) measure);
	}
	return done_testing();
}
