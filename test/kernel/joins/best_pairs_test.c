/*
 * best_pairs_test.c
 *		Joins of which only the best pairs are wanted, of families and other sets, against brute force.
 */
#include "c.h"

#include "kernel/demand/best_pairs.h"
#include "kernel/demand/demands.h"
#include "random_sets.h"
#include "kernel_test.h"
#include "test_host.h"

#define MAX_RECORDS 600
#define MAX_WORDS 20

typedef struct Case
{
	Set sets[MAX_RECORDS];
	uint32 count;
	uint32 first_right; /* 0 in a self-join */
	uint8 roles[MAX_RECORDS];
	uint32 places[MAX_RECORDS];
	uint8 overlaps[MAX_RECORDS][MAX_RECORDS];
	Predicate predicate;
	BestPairs wanted;

	uint8 times[MAX_RECORDS][MAX_RECORDS]; /* how often a pair was emitted */
	uint32 pairs;
} Case;

static bool
is_one_query(const Case *test)
{
	return test->first_right == 0;
}

static bool
is_left(const Case *test, uint32 x)
{
	return is_one_query(test) || x < test->first_right;
}

/* Whether order matters in a pair. */
static bool
is_directed(const Case *test)
{
	return !is_one_query(test) || MeasureIsDirected(test->predicate.measure);
}

static void
note_pair(void *context, const JoinRecord *x, const JoinRecord *y, uint64 overlap)
{
	Case *test = context;

	test->pairs++;
	test->times[x->row][y->row]++;
	if (!is_directed(test))
		test->times[y->row][x->row]++;
}

/* Adds a token that no other set has. */
static void
add_own_token(Case *test, uint32 x, uint32 number)
{
	test->sets[x].tokens[test->sets[x].size++] = 1000000 + x * 100 + number;
}

static bool
is_repeated(const Case *test, uint32 x)
{
	for (uint32 y = 0; y < x; y++)
	{
		if (is_left(test, x) == is_left(test, y) && test->sets[x].size == test->sets[y].size &&
			overlap_of(&test->sets[x], &test->sets[y]) == test->sets[x].size)
			return true;
	}
	return false;
}

/*
 * Makes families: sets of the words of one of few templates, each with words besides. These are of the
 * set itself or of a few others too, which then are more similar to it than the rest of the family.
 */
static void
make_families(Case *test)
{
	uint32 templates = 1 + random_below(2);
	uint32 words = 3 + random_below(MAX_WORDS - 3);
	uint32 dropped = random_below(3) * random_below(20);
	uint32 most_besides = random_below(4);
	bool varies = random_below(2);
	uint32 own = (const uint32[]){0, 10, 50, 100}[random_below(4)];

	for (uint32 x = 0; x < test->count; x++)
	{
		Set *set = &test->sets[x];
		uint32 template = random_below(templates);
		uint32 besides = varies && random_below(2) ? most_besides / 2 : most_besides;

		set->size = 0;
		for (uint32 w = 0; w < words; w++)
		{
			if (random_below(100) >= dropped)
				set->tokens[set->size++] = template * 100 + w;
		}
		for (uint32 i = 0; i < besides; i++)
		{
			if (random_below(100) < own)
				add_own_token(test, x, i);
			else
				set->tokens[set->size++] = 5000 + i * 1000 + random_below(30);
		}
		qsort(set->tokens, set->size, sizeof(int64), compare_tokens);
		if (set->size == 0 || is_repeated(test, x))
			add_own_token(test, x, besides);
	}
}

static void
count_overlaps(Case *test)
{
	for (uint32 x = 0; x < test->count; x++)
	{
		for (uint32 y = 0; y <= x; y++)
			test->overlaps[x][y] = test->overlaps[y][x] =
				overlap_of(&test->sets[x], &test->sets[y]);
	}
}

static void
shuffle_places(Case *test)
{
	for (uint32 i = 0; i < test->count; i++)
	{
		uint32 j = random_below(i + 1);

		test->places[i] = test->places[j];
		test->places[j] = i;
	}
}

static double
distance_of(const Case *test, uint32 x, uint32 y)
{
	double value = MeasureValue(test->predicate.measure, test->overlaps[x][y], test->sets[x].size,
								test->sets[y].size);

	return test->predicate.measure == MEASURE_HAMMING ? value : -value;
}

static bool
is_pair(const Case *test, uint32 x, uint32 y)
{
	if (x == y || test->roles[x] == JOIN_ABSENT || test->roles[y] == JOIN_ABSENT ||
		(!is_one_query(test) && (!is_left(test, x) || is_left(test, y))))
		return false;
	return PredicateHolds(test->predicate, test->overlaps[x][y], test->sets[x].size,
						  test->sets[y].size);
}

typedef struct Ranked
{
	double distance;
	uint64 places;
	uint32 x;
	uint32 y;
} Ranked;

static int
compare_ranked(const void *a, const void *b)
{
	const Ranked *x = a;
	const Ranked *y = b;

	if (x->distance != y->distance)
		return x->distance < y->distance ? -1 : 1;
	return (x->places > y->places) - (x->places < y->places);
}

/* Whether the wanted pairs among these were emitted. */
static bool
best_are_found(Case *test, Ranked *pairs, uint32 count)
{
	qsort(pairs, count, sizeof(Ranked), compare_ranked);
	for (uint32 i = 0; i < Min(count, test->wanted.count); i++)
	{
		if (test->times[pairs[i].x][pairs[i].y] != 1)
			return false;
	}
	return true;
}

static Ranked
rank_pair(const Case *test, uint32 x, uint32 y)
{
	uint64 a = test->places[x];
	uint64 b = test->places[y];
	bool x_first = is_directed(test) || a < b;
	uint64 both = x_first ? a << 32 | b : b << 32 | a;

	if (test->wanted.of == LEAST_OF_EACH)
		return (Ranked){0, b, x, y};
	return (Ranked){distance_of(test, x, y), test->wanted.of == BEST_OF_EACH ? b : both, x, y};
}

/* Whether a pair is of those among which x wants the best ones. */
static bool
is_candidate(const Case *test, uint32 x, uint32 y)
{
	if (test->wanted.of == LEAST_OF_EACH)
		return test->places[y] < test->places[x];
	return test->wanted.of != BEST_OF_ALL || is_directed(test) || x < y;
}

/* Returns how many pairs of a record that are better than this one were emitted. */
static uint32
count_better(const Case *test, uint32 x, const Ranked *pair)
{
	uint32 count = 0;

	for (uint32 y = 0; y < test->count; y++)
	{
		bool is_left_of_pair = test->times[x][y] > 0;
		Ranked other;

		if (!is_left_of_pair && test->times[y][x] == 0)
			continue;
		other = is_left_of_pair ? rank_pair(test, x, y) : rank_pair(test, y, x);
		count += compare_ranked(&other, pair) < 0;
	}
	return count;
}

/* Whether each pair of x that was not emitted has a record with enough better ones. */
static bool
others_have_better(const Case *test, uint32 x, const Ranked *pairs, uint32 count)
{
	for (uint32 i = 0; i < count; i++)
	{
		uint32 y = pairs[i].y;

		if (test->roles[x] != JOIN_SEEKS && test->roles[y] != JOIN_SEEKS)
			continue;
		if (test->times[x][y] == 0 && !MeasureIsDirected(test->predicate.measure) &&
			count_better(test, x, &pairs[i]) < test->wanted.count &&
			count_better(test, y, &pairs[i]) < test->wanted.count)
			return false;
	}
	return true;
}

/* Small sets that need no common token are paired whatever their roles, if there are any (is_free). */
static bool
pairs_are_right(Case *test, bool is_free)
{
	static Ranked ranked[MAX_RECORDS * MAX_RECORDS];
	uint32 count = 0;
	bool right = true;

	for (uint32 x = 0; x < test->count; x++)
	{
		for (uint32 y = 0; y < test->count; y++)
		{
			right &= test->times[x][y] <= 1;
			if (is_pair(test, x, y))
			{
				if (is_candidate(test, x, y))
					ranked[count++] = rank_pair(test, x, y);
			}
			else if (!is_free && (is_directed(test) || !is_pair(test, y, x)))
				right &= test->times[x][y] == 0;
		}
		if (test->wanted.of != BEST_OF_ALL)
		{
			if (test->wanted.of == BEST_OF_BOTH)
				right &= others_have_better(test, x, ranked, count);
			else if (test->roles[x] == JOIN_SEEKS)
				right &= best_are_found(test, ranked, count);
			count = 0;
		}
	}
	return right && best_are_found(test, ranked, count);
}

static bool
join_is_right(Case *test, JoinHost host)
{
	JoinRecords records;
	JoinEngine engine;
	JoinCounters counters = {0};
	int64 keys[MAX_RECORDS];
	uint8 role_of_key[MAX_RECORDS];
	uint32 place_of_key[MAX_RECORDS];
	BestPairs wanted = test->wanted;
	PairDemand demand = {0};
	bool is_free;

	memset(test->times, 0, sizeof(test->times));
	test->pairs = 0;
	JoinRecordsInit(&records, &host);
	for (uint32 i = 0; i < test->count; i++)
	{
		JoinRecordsAppend(&records, i, test->sets[i].tokens, test->sets[i].size);
		keys[i] = test->count - 1 - i;
		role_of_key[keys[i]] = test->roles[i];
		place_of_key[keys[i]] = test->places[i];
	}
	if (!is_one_query(test))
	{
		records.two_sided = true;
		records.first_right_row = test->first_right;
	}
	JoinCanonicalize(&records);
	PairDemandByRoles(&demand, role_of_key, test->count);
	wanted.places = place_of_key;
	wanted.is_self_join = is_one_query(test);
	PairDemandBest(&demand, &wanted);
	RecordDemandSet(&records, &demand, keys);
	JoinEngineIndex(&engine, &records, NULL, test->predicate, JOIN_AUTO);
	JoinEngineFind(&engine, note_pair, test, &counters);
	is_free = engine.spec.no_overlap_end > 0;
	JoinEngineFree(&engine);
	RecordDemandFree(&records);
	JoinRecordsFree(&records);
	return pairs_are_right(test, is_free) && host.bytes == 0;
}

static void
set_roles(Case *test)
{
	static const uint8 roles[] = {JOIN_ABSENT, JOIN_IS_MET, JOIN_SEEKS};
	bool all_seek = test->wanted.of == BEST_OF_ALL || random_below(2) == 0;

	for (uint32 i = 0; i < test->count; i++)
	{
		test->roles[i] = all_seek ? JOIN_SEEKS : roles[random_below(3)];
		if (!is_one_query(test) && test->roles[i] == JOIN_IS_MET)
			test->roles[i] = JOIN_SEEKS;
	}
}

static void
test_wanted(Measure measure)
{
	static const uint32 counts[] = {1, 1, 2, 5, 40, 1000};
	static Case test;
	uint32 wrong = 0;
	uint64 pairs = 0;

	for_each_case (seed, share_of(600), wrong)
	{
		test.count = random_below(5) == 0 ? 1 + random_below(80)
										  : 150 + random_below(random_below(3) == 0 ? 450 : 150);
		test.wanted =
			(BestPairs){.count = counts[random_below(lengthof(counts))], .of = random_below(4)};
		test.first_right =
			test.wanted.of != LEAST_OF_EACH && random_below(3) == 0 ? Max(test.count / 3, 1) : 0;
		make_families(&test);
		count_overlaps(&test);
		shuffle_places(&test);
		test.predicate = random_predicate(measure);
		case_has("%u sets, right side from row %u", test.count, test.first_right);
		set_roles(&test);
		wrong +=
			!join_is_right(&test, random_below(3) == 0 ? test_host_with_workers() : test_host());
		pairs += test.pairs;
	}
	ok(wrong == 0, "%s: the pairs that are wanted are found, and no wrong ones",
	   MeasureName(measure));
	ok(enough(pairs > 10000), "%s: there were pairs to find", MeasureName(measure));
}

/* A family of which each set has a word of its own. */
static void
test_number_of_pairs(void)
{
	static Case test;

	test.count = MAX_RECORDS;
	test.predicate = (Predicate){.measure = MEASURE_JACCARD, .threshold = 0.8};
	for (uint32 x = 0; x < test.count; x++)
	{
		for (uint32 w = 0; w < 17; w++)
			test.sets[x].tokens[w] = w;
		test.sets[x].size = 17;
		add_own_token(&test, x, 0);
	}
	count_overlaps(&test);
	shuffle_places(&test);
	test.wanted.count = 3;
	ok(join_is_right(&test, test_host()), "a family: the pairs that are wanted are found");
	ok(test.pairs < 2 * test.wanted.count * test.count, "a family takes few pairs for each record");
	test.wanted.of = BEST_OF_ALL;
	ok(join_is_right(&test, test_host()), "a family: the best pairs are found");
	ok(test.pairs < 10 * test.wanted.count, "a family takes few pairs");
	test.wanted = (BestPairs){.count = 1, .of = LEAST_OF_EACH};
	ok(join_is_right(&test, test_host()), "a family: least neighbours are found");
	ok(test.pairs < 2 * test.count, "a family takes few pairs for least neighbours");
}

int
main(void)
{
	for (int measure = 0; measure < MEASURE_COUNT; measure++)
		test_wanted((Measure) measure);
	test_number_of_pairs();
	return done_testing();
}
