/*
 * roles_test.c
 *		Records that seek, are met only, only look up, or are absent, against brute force.
 */
#include "c.h"

#include "kernel/demand/demands.h"
#include "random_sets.h"
#include "kernel_test.h"
#include "measure/token_weight.h"
#include "test_host.h"

#define MAX_RECORDS 90

typedef struct Found
{
	uint8 times[MAX_RECORDS][MAX_RECORDS];
} Found;

typedef struct Case
{
	const Set *sets;
	uint32 count;
	uint32 first_right; /* 0 in a self-join */
	uint8 roles[MAX_RECORDS];
	uint8 joint_roles[MAX_RECORDS]; /* of the equal sets of a side */
	int64 sizes[MAX_RECORDS]; /* in a weighted join the total weights, and overlaps by weight */
	int64 overlaps[MAX_RECORDS][MAX_RECORDS];
	bool equal[MAX_RECORDS][MAX_RECORDS];
	Predicate predicate;
} Case;

static void
note_pair(void *context, const JoinRecord *x, const JoinRecord *y, uint64 overlap)
{
	Found *found = context;

	found->times[x->row][y->row]++;
}

static bool
is_left(const Case *test, uint32 x)
{
	return test->first_right == 0 || x < test->first_right;
}

/* Returns the weight of the tokens that two sets share, or their number. */
static int64
measured_overlap(const Case *test, const Set *x, const Set *y)
{
	bool squares = test->predicate.measure == MEASURE_IDF_COSINE;
	int64 sum = 0;

	if (!MeasureIsWeighted(test->predicate.measure))
		return overlap_of(x, y);
	for (uint32 k = 0; k < x->size; k++)
	{
		Set token = {.size = 1, .tokens = {x->tokens[k]}};
		uint32 frequency = 0;

		if (overlap_of(&token, y) == 0)
			continue;
		for (uint32 i = 0; i < test->count; i++)
			frequency += overlap_of(&token, &test->sets[i]);
		sum += TokenWeightTerm(TokenWeight(test->count, frequency), squares);
	}
	return sum;
}

static void
count_overlaps(Case *test)
{
	for (uint32 x = 0; x < test->count; x++)
	{
		const Set *of_x = &test->sets[x];

		test->sizes[x] = measured_overlap(test, of_x, of_x);
		for (uint32 y = 0; y < test->count; y++)
		{
			const Set *of_y = &test->sets[y];

			test->overlaps[x][y] = measured_overlap(test, of_x, of_y);
			test->equal[x][y] = of_x->size == of_y->size && overlap_of(of_x, of_y) == of_x->size;
		}
	}
}

static void
join_roles(Case *test)
{
	for (uint32 x = 0; x < test->count; x++)
	{
		test->joint_roles[x] = test->roles[x];
		for (uint32 y = 0; y < test->count; y++)
		{
			if (is_left(test, x) == is_left(test, y) && test->equal[x][y])
				test->joint_roles[x] |= test->roles[y];
		}
	}
}

/* Whether the pair is to be emitted, x first. */
static bool
is_sought(const Case *test, uint32 x, uint32 y)
{
	uint8 x_role = test->joint_roles[x];
	uint8 y_role = test->joint_roles[y];

	if (x == y || x_role == JOIN_ABSENT || y_role == JOIN_ABSENT)
		return false;
	if (!PredicateHolds(test->predicate, test->overlaps[x][y], test->sizes[x], test->sizes[y]))
		return false;
	if (test->first_right > 0)
		return is_left(test, x) && !is_left(test, y);
	if (MeasureIsDirected(test->predicate.measure))
		return (x_role & JOIN_LOOKS_UP) != 0 && (y_role & JOIN_IS_MET) != 0;
	return x_role == JOIN_SEEKS || y_role == JOIN_SEEKS;
}

static bool
pairs_are_right(const Case *test, const Found *found, bool more_may_be_found, uint64 *pairs)
{
	bool is_symmetric_self = test->first_right == 0 && !MeasureIsDirected(test->predicate.measure);
	bool right = true;

	for (uint32 x = 0; x < test->count; x++)
	{
		for (uint32 y = 0; y < test->count; y++)
		{
			int times = found->times[x][y] + (is_symmetric_self ? found->times[y][x] : 0);
			bool sought = is_sought(test, x, y);

			right &= times == sought || (more_may_be_found && !sought && times == 1);
			*pairs += times;
		}
	}
	return right;
}

static bool
join_is_right(Case *test, JoinAlgorithm algorithm, JoinHost host, uint64 *pairs)
{
	JoinRecords records;
	JoinEngine engine;
	JoinCounters counters = {0};
	Found *found = calloc(1, sizeof(Found));
	int64 keys[MAX_RECORDS];
	uint8 role_of_key[MAX_RECORDS];
	PairDemand demand = {0};
	bool right;

	join_roles(test);
	JoinRecordsInit(&records, &host);
	records.weighing = (JoinWeighing){.is_weighted = MeasureIsWeighted(test->predicate.measure),
									  .squares = test->predicate.measure == MEASURE_IDF_COSINE,
									  .record_count = test->count};
	for (uint32 i = 0; i < test->count; i++)
	{
		JoinRecordsAppend(&records, i, test->sets[i].tokens, test->sets[i].size);
		keys[i] = test->count - 1 - i;
		role_of_key[keys[i]] = test->roles[i];
	}
	if (test->first_right > 0)
	{
		records.two_sided = true;
		records.first_right_row = test->first_right;
	}
	JoinCanonicalize(&records);
	PairDemandByRoles(&demand, role_of_key, test->count);
	RecordDemandSet(&records, &demand, keys);
	JoinEngineIndex(&engine, &records, NULL, test->predicate, algorithm);
	JoinEngineFind(&engine, note_pair, found, &counters);
	/* Pairs without a common token are joined by size, whatever their roles. */
	right = pairs_are_right(
		test, found, engine.spec.algorithm != JOIN_AUTO || engine.spec.no_overlap_end > 0, pairs);
	JoinEngineFree(&engine);
	RecordDemandFree(&records);
	JoinRecordsFree(&records);
	free(found);
	right &= host.bytes == 0;
	if (!right)
		case_has("algorithm %d, right side from row %u", (int) algorithm, test->first_right);
	return right;
}

static void
test_roles(Measure measure)
{
	static Set sets[MAX_RECORDS];
	static const uint32 universes[] = {5, 12, 40, 300};
	static const uint8 roles[] = {JOIN_ABSENT, JOIN_IS_MET, JOIN_SEEKS, JOIN_LOOKS_UP};
	uint32 wrong = 0;
	uint64 pairs = 0;

	for_each_case (seed, 60, wrong)
	{
		static Case test;

		test.sets = sets;
		test.count = 1 + random_below(MAX_RECORDS);
		make_sets(sets, test.count, universes[seed % 4], seed % 2, seed % 3 ? 20 : MAX_SET_SIZE);
		test.predicate =
			MeasureIsWeighted(measure)
				? (Predicate){.measure = measure, .threshold = (1 + random_below(10)) / 10.0}
				: random_predicate(measure);
		count_overlaps(&test);
		for (int algorithm = JOIN_ALLPAIRS; algorithm <= JOIN_AUTO; algorithm++)
		{
			JoinHost host = seed % 2 == 0 ? test_host_with_workers() : test_host();

			/* These have no weights. */
			if (MeasureIsWeighted(measure) &&
				(algorithm == JOIN_ALLPAIRS || algorithm == JOIN_PPJOIN_PLUS))
				continue;
			for (uint32 i = 0; i < test.count; i++)
				test.roles[i] = roles[random_below(MeasureIsDirected(measure) ? 4 : 3)];
			/* Where few records look up, they alone may. */
			for (uint32 i = 0; i < test.count && seed % 3 == 0; i++)
				test.roles[i] = random_below(10) > 0 ? JOIN_IS_MET : test.roles[i];
			test.first_right = 0;
			wrong += !join_is_right(&test, algorithm, host, &pairs);
			for (uint32 i = 0; i < test.count; i++)
				test.roles[i] = test.roles[i] == JOIN_ABSENT ? JOIN_ABSENT : JOIN_SEEKS;
			test.first_right = Max(test.count / 3, 1);
			wrong += !join_is_right(&test, algorithm, host, &pairs);
		}
	}
	ok(wrong == 0, "%s: pairs are found by the roles of their records", MeasureName(measure));
	ok(enough(pairs > 1000), "%s: there were pairs to find", MeasureName(measure));
}

int
main(void)
{
	for (int measure = 0; measure < MEASURE_COUNT; measure++)
		test_roles((Measure) measure);
	test_roles(MEASURE_IDF_JACCARD);
	test_roles(MEASURE_IDF_COSINE);
	return done_testing();
}
