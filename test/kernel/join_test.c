/*
 * join_test.c
 *		The join kernel against brute force, without a server.
 *
 * Random sets over small and large universes, uniform and skewed, with copies
 * of earlier records that were edited a little; every measure, thresholds on
 * exact fractions, the four algorithms, self and R-S joins, alone and with
 * helpers. Also the bound of the suffix filter, that no counter depends on the
 * order of arrival, and that huge sets can be interrupted. Prints TAP.
 *
 * Compile (make check does): gcc -DFRONTEND -I$(pg_config --includedir-server)
 * -Isrc with the sources of src/measure/measure.c and src/join/kernel, and
 * libpgcommon.a and libpgport.a.
 */
#include "c.h"

#include "join/kernel/key_sort.h"
#include "join/kernel/list_join.h"
#include "join/kernel/load.h"
#include "join/kernel/meetings.h"
#include "join/kernel/rank_sort.h"
#include "join/kernel/suffix_filter.h"
#include "join/kernel/verify.h"
#include "kernel_test.h"

#define MAX_RECORDS 90
#define MAX_SIZE 120

typedef struct Set
{
	uint32 size;
	int64 tokens[MAX_SIZE];
} Set;

static void
make_distinct(Set *set)
{
	uint32 kept = 0;

	qsort(set->tokens, set->size, sizeof(int64), compare_tokens);
	for (uint32 i = 0; i < set->size; i++)
		if (kept == 0 || set->tokens[kept - 1] != set->tokens[i])
			set->tokens[kept++] = set->tokens[i];
	set->size = kept;
}

/* Skewed: the product of two uniform draws favours small numbers. */
static int64
random_token(uint32 universe, bool skewed)
{
	uint32 place = random_below(universe);

	if (skewed)
		place = random_below(place + 1);
	if (place == 0)
		return PG_INT64_MIN;
	if (place == 1)
		return PG_INT64_MAX;
	return ((int64) place - universe / 2) * 1000003;
}

static void
make_sets(Set *sets, uint32 count, uint32 universe, bool skewed, uint32 size)
{
	for (uint32 i = 0; i < count; i++)
	{
		Set *set = &sets[i];

		if (i > 0 && random_below(2) == 0)
		{
			*set = sets[random_below(i)];
			for (uint32 edits = random_below(4); edits > 0 && set->size > 0; edits--)
				set->tokens[random_below(set->size)] = random_token(universe, skewed);
			if (random_below(3) == 0 && set->size < MAX_SIZE)
				set->tokens[set->size++] = random_token(universe, skewed);
		}
		else
		{
			set->size = random_below(Min(size, MAX_SIZE) + 1);
			for (uint32 k = 0; k < set->size; k++)
				set->tokens[k] = random_token(universe, skewed);
		}
		make_distinct(set);
	}
}

static uint32
overlap_of(const Set *x, const Set *y)
{
	uint32 overlap = 0;

	for (uint32 i = 0; i < x->size; i++)
		for (uint32 j = 0; j < y->size; j++)
			overlap += x->tokens[i] == y->tokens[j];
	return overlap;
}

/* found[x][y] counts how often the pair was emitted; overlaps are checked on arrival. */
typedef struct Found
{
	const Set *sets;
	uint32 wrong_overlaps;
	uint8 times[MAX_RECORDS][MAX_RECORDS];
} Found;

static void
note_pair(void *context, const JoinRecord *x, const JoinRecord *y, uint32 overlap)
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
	bool asymmetric = MeasureIsAsymmetric(predicate.measure);
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
	JoinRecordsCanonicalize(&records);
	JoinShareRecords(&records);
	JoinEngineIndex(&engine, &records, predicate, algorithm);
	JoinEngineProbe(&engine, note_pair, found, &counters);
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
			else if (asymmetric)
				right &= times == (x != y && similar);
			else if (x < y)
				right &= times + found->times[y][x] == similar;
			*pairs += times;
		}
	}
	right &= found->wrong_overlaps == 0;

	JoinEngineFree(&engine);
	JoinRecordsFree(&records);
	if (host.bytes != 0)
	{
		printf("# %zu bytes are not accounted for\n", host.bytes);
		right = false;
	}
	free(found);
	return right;
}

static const double thresholds[] = {1.0 / 2, 2.0 / 3, 3.0 / 4, 4.0 / 5, 7.0 / 10, 9.0 / 10, 1};

static Predicate
random_predicate(Measure measure)
{
	Predicate predicate = {.measure = measure,
						   .threshold = thresholds[random_below(lengthof(thresholds))]};

	if (measure == MEASURE_OVERLAP)
		predicate.threshold = 1 + random_below(8);
	if (measure == MEASURE_HAMMING)
		predicate.threshold = random_below(12);
	return predicate;
}

static void
test_joins(Measure measure)
{
	static Set sets[MAX_RECORDS];
	static const uint32 universes[] = {5, 12, 40, 300, 5000};
	uint32 wrong = 0;
	uint64 pairs = 0;
	char rule[128];

	for (uint32 seed = 1; seed <= 60; seed++)
	{
		Predicate predicate;
		uint32 count;

		random_state = seed * UINT64CONST(0x9E3779B97F4A7C15);
		count = 1 + random_below(MAX_RECORDS);
		make_sets(sets, count, universes[seed % 5], seed % 2, seed % 3 ? 20 : MAX_SIZE);
		predicate = random_predicate(measure);
		for (int algorithm = JOIN_ALLPAIRS; algorithm <= JOIN_AUTO; algorithm++)
		{
			JoinHost host = seed % 2 == 0 ? test_host_with_helpers() : test_host();

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
	snprintf(rule, sizeof(rule), "%s: 60 seeds, four algorithms, self and R-S = brute force",
			 MeasureName(measure));
	ok(wrong == 0, rule);
	snprintf(rule, sizeof(rule), "%s: there were pairs to find", MeasureName(measure));
	ok(pairs > 1000, rule);
}

static void
test_suffix_filter(void)
{
	uint32 wrong = 0;
	uint32 pruned = 0;

	random_state = 4711;
	for (int round = 0; round < 200000; round++)
	{
		uint32 x[40];
		uint32 y[40];
		uint32 x_size = 0;
		uint32 y_size = 0;
		int64 hamming = 0;
		int64 allowed;

		for (uint32 token = 0; token < 40; token++)
		{
			bool in_x = random_below(3) > 0;
			bool in_y = random_below(5) > 0 ? in_x : !in_x;

			if (in_x)
				x[x_size++] = token;
			if (in_y)
				y[y_size++] = token;
			hamming += in_x != in_y;
		}
		allowed = hamming + 2 * (int64) random_below(3);
		wrong += SuffixFilter(x, x_size, y, y_size, allowed, 1) > allowed;
		allowed = hamming - 2 - 2 * (int64) random_below(4);
		if (allowed >= labs((long) x_size - (long) y_size))
			pruned += SuffixFilter(x, x_size, y, y_size, allowed, 1) > allowed;
	}
	ok(wrong == 0, "suffix filter: its bound is at most H whenever the distance is at most H");
	ok(pruned > 10000, "suffix filter: it prunes pairs that are farther apart");
}

static void
test_overlap(void)
{
	enum
	{
		UNIVERSE = 200,
		AROUND = 64
	};
	const uint32 one_in[] = {1, 4, 20, 100};
	JoinHost host = {0};
	uint32 wrong = 0;
	uint32 enough[lengthof(one_in)] = {0};

	random_state = 815;
	for (int round = 0; round < 200000; round++)
	{
		uint32 x[UNIVERSE];
		uint32 y_and_around[AROUND + UNIVERSE + AROUND];
		uint32 *y = y_and_around + AROUND;
		uint32 x_size = 0;
		uint32 y_size = 0;
		int64 overlap = 0;
		int64 needed;
		int64 result;
		uint32 universe = 1 + random_below(UNIVERSE);
		int change = random_below(lengthof(one_in));

		for (uint32 token = 0; token < universe; token++)
		{
			bool in_x = random_below(2);
			bool in_y = random_below(one_in[change]) == 0 ? random_below(2) : in_x;

			if (in_x)
				x[x_size++] = token;
			if (in_y)
				y[y_size++] = token;
			overlap += in_x && in_y;
		}
		/* before and after y, what must not be taken for its own */
		for (uint32 k = 0; k < AROUND && x_size > 0; k++)
		{
			y[y_size + k] = x[(y_size + k) % x_size];
			y[-1 - (int) k] = x[k % x_size];
		}
		needed = overlap + 3 - random_below(6);
		if (random_below(4) == 0)
			needed = random_below(universe);
		result = OverlapAtLeast(&host, x, x_size, y, y_size, needed);
		wrong += overlap >= needed ? result != overlap : result >= needed;
		enough[change] += overlap >= needed;
	}
	for (int i = 0; i < (int) lengthof(one_in); i++)
		ok(enough[i] > 10000, "overlap: many that suffice");
	ok(wrong == 0, "overlap: exact where it suffices, below what is needed where it does not");
}

/* Each test for common tokens finds those that there are, and none before or after a sequence. */
static void
test_common_tokens(void)
{
	enum
	{
		UNIVERSE = 400,
		AROUND = 32
	};
	CommonTokenTest tests[COMMON_TOKEN_TESTS] = {NULL};
	int test_count = CommonTokenTestsAvailable(tests);
	JoinHost host = {0};
	uint32 wrong = 0;
	uint32 with_common = 0;
	uint32 without = 0;

	random_state = 4;
	for (int round = 0; round < 100000; round++)
	{
		uint32 x_and_around[AROUND + UNIVERSE + AROUND];
		uint32 y_and_around[AROUND + UNIVERSE + AROUND];
		uint32 *x = x_and_around + AROUND;
		uint32 *y = y_and_around + AROUND;
		uint32 x_size = 0;
		uint32 y_size = 0;
		uint32 universe = 1 + random_below(UNIVERSE);
		uint32 one_in = 2 + random_below(universe * 2);
		uint32 share_of_x = random_below(9);
		bool has_common = false;

		for (uint32 token = 0; token < universe; token++)
		{
			bool in_both = random_below(one_in) == 0;
			bool in_x = in_both || random_below(8) < share_of_x;

			if (in_x)
				x[x_size++] = token;
			if (in_both || (!in_x && random_below(8) > 0))
				y[y_size++] = token;
			has_common |= in_both;
		}
		for (uint32 k = 0; k < AROUND && x_size > 0 && y_size > 0; k++)
		{
			x[-1 - (int) k] = x[x_size + k] = y[k % y_size];
			y[-1 - (int) k] = y[y_size + k] = x[k % x_size];
		}
		for (int i = 0; i < test_count; i++)
			wrong += tests[i](&host, x, x_size, y, y_size) != has_common;
		with_common += has_common;
		without += !has_common;
	}
	ok(with_common > 10000 && without > 10000, "common tokens: many have some, many none");
	ok(wrong == 0, "common tokens: all tests find whether there are any");
}

static void
count_pair(void *context, const JoinRecord *x, const JoinRecord *y, uint32 overlap)
{
	(*(uint64 *) context)++;
}

/* All of a join but its pairs, and the checks for interrupts in each of its phases. */
typedef struct Course
{
	JoinCounters counters;
	uint64 pairs;
	uint64 append_checks;
	uint64 canonicalize_checks;
	uint64 index_checks;
	uint64 probe_checks;
	bool divided; /* long lists, among those who join */
} Course;

static Course
run_course(JoinHost host, const int64 *const *tokens, const uint32 *sizes, uint32 count,
		   Predicate predicate, JoinAlgorithm algorithm)
{
	JoinRecords records;
	JoinEngine engine;
	Course course = {0};

	checks_since_last();
	JoinRecordsInit(&records, &host);
	for (uint32 i = 0; i < count; i++)
		JoinRecordsAppend(&records, i, tokens[i], sizes[i]);
	course.append_checks = checks_since_last();
	JoinRecordsCanonicalize(&records);
	course.canonicalize_checks = checks_since_last();
	JoinShareRecords(&records);
	JoinEngineIndex(&engine, &records, predicate, algorithm);
	course.index_checks = checks_since_last();
	course.divided =
		algorithm == JOIN_AUTO && ListJoinUnits(&engine.lists) > engine.lists.partition_count;
	JoinEngineProbe(&engine, count_pair, &course.pairs, &course.counters);
	course.probe_checks = checks_since_last();
	JoinEngineFree(&engine);
	JoinRecordsFree(&records);
	return course;
}

/*
 * Many tokens have the same document frequency, so that ties among them
 * decide on prefixes: the same in every order of arrival, or the counters differ.
 */
static void
test_order_of_arrival(JoinAlgorithm algorithm)
{
	enum
	{
		COUNT = 300,
		SIZE = 12
	};
	static int64 tokens[COUNT][SIZE];
	const int64 *sets[COUNT];
	uint32 sizes[COUNT];
	Predicate predicate = {.measure = MEASURE_JACCARD, .threshold = 0.3};
	Course first = {0};
	uint32 different = 0;
	uint64 pruned;

	random_state = 99;
	for (uint32 i = 0; i < COUNT; i++)
	{
		sets[i] = tokens[i];
		sizes[i] = 0;
		for (int64 place = 0; place < 400 && sizes[i] < SIZE; place++)
			if (random_below(50) == 0)
				tokens[i][sizes[i]++] = place * 7919 % 400 - 200;
	}
	for (int round = 0; round < 6; round++)
	{
		Course course = run_course(test_host(), sets, sizes, COUNT, predicate, algorithm);

		if (round == 0)
			first = course;
		different += course.pairs != first.pairs ||
					 memcmp(&course.counters, &first.counters, sizeof(JoinCounters)) != 0;
		for (uint32 i = COUNT - 1; i > 0; i--)
		{
			uint32 j = random_below(i + 1);
			const int64 *set = sets[i];
			uint32 size = sizes[i];

			sets[i] = sets[j];
			sizes[i] = sizes[j];
			sets[j] = set;
			sizes[j] = size;
		}
	}
	pruned = first.counters.pruned_by_position + first.counters.pruned_by_suffix +
			 first.counters.pruned_by_bitmap;
	ok(first.counters.candidates > 0 && pruned > 1000, "order of arrival: the filters have work");
	ok(different == 0, "order of arrival: no counter depends on it");
}

/* A sum over all pairs that does not depend on their order. */
static void
add_to_sum(void *context, const JoinRecord *x, const JoinRecord *y, uint32 overlap)
{
	uint64 pair = (uint64) Min(x->row, y->row) << 32 | Max(x->row, y->row);

	pair = (pair ^ overlap) * UINT64CONST(0x9E3779B97F4A7C15);
	*(uint64 *) context += (pair ^ pair >> 29) * UINT64CONST(0xBF58476D1CE4E5B9);
}

#define MANY 30000

/* What the algorithms make of many records. */
typedef struct ManySums
{
	uint64 pairs[JOIN_AUTO + 1]; /* a digest of them */
	JoinCounters counters[JOIN_AUTO + 1];
	uint32 partitions;
} ManySums;

static void
join_many(const Set *sets, uint32 first_right, JoinHost *host, ManySums *sums)
{
	JoinRecords records;
	Predicate predicate = {.measure = MEASURE_JACCARD, .threshold = 0.5};

	memset(sums, 0, sizeof(*sums));
	JoinRecordsInit(&records, host);
	for (uint32 i = 0; i < MANY; i++)
		JoinRecordsAppend(&records, i, sets[i].tokens, sets[i].size);
	if (first_right > 0)
	{
		records.two_sided = true;
		records.first_right_row = first_right;
	}
	JoinRecordsCanonicalize(&records);
	JoinShareRecords(&records);
	for (int algorithm = JOIN_PPJOIN; algorithm <= JOIN_AUTO; algorithm++)
	{
		JoinEngine engine;
		JoinArena mark = host->arena;

		JoinEngineIndex(&engine, &records, predicate, algorithm);
		JoinEngineProbe(&engine, add_to_sum, &sums->pairs[algorithm], &sums->counters[algorithm]);
		sums->partitions = engine.lists.partition_count;
		JoinEngineFree(&engine);
		host->arena = mark;
	}
	if (host->participants > 1)
		host->participants = 1;
	JoinRecordsFree(&records);
}

/* More records than one partition of lists takes, some of them often repeated. */
static void
test_many_records(void)
{
	static Set sets[MANY];

	random_state = 77;
	make_sets(sets, MANY, 20000, true, 24);
	for (uint32 first_right = 0; first_right < MANY; first_right += MANY * 2 / 3)
	{
		ManySums alone;
		ManySums helped;
		ManySums dismissed;
		JoinHost host = test_host();
		bool all_help = true;

		join_many(sets, first_right, &host, &alone);
		ok(alone.partitions > 2 && alone.pairs[JOIN_PPJOIN] != 0,
		   "many records: there are several partitions");
		ok(alone.pairs[JOIN_PPJOIN] == alone.pairs[JOIN_PPJOIN_PLUS] &&
			   alone.pairs[JOIN_PPJOIN] == alone.pairs[JOIN_AUTO],
		   "many records: all algorithms find the same");

		host = test_host_with_helpers();
		memset(helped_units, 0, sizeof(helped_units));
		join_many(sets, first_right, &host, &helped);
		for (int i = 0; i < TEST_HELPERS; i++)
			all_help &= helped_units[i] > 64;
		ok(all_help && memcmp(alone.pairs, helped.pairs, sizeof(alone.pairs)) == 0 &&
			   memcmp(alone.counters, helped.counters, sizeof(alone.counters)) == 0,
		   "many records: with helpers the same pairs are found, and the same counted");

		memset(helped_units, 0, sizeof(helped_units));
		join_many(sets, first_right, &host, &dismissed);
		ok(helped_units[0] == 0 && host.bytes == 0 &&
			   memcmp(alone.pairs, dismissed.pairs, sizeof(alone.pairs)) == 0,
		   "many records: when helpers were dismissed, a join takes its own memory and gives it "
		   "back");

		/* Room for the records, and for a part of them only. */
		for (Size arena_size = (Size) 1 << 23; arena_size > 1 << 19; arena_size /= 4)
		{
			host = test_host_with_helpers();
			host.arena.size = arena_size;
			join_many(sets, first_right, &host, &helped);
			ok(memcmp(alone.pairs, helped.pairs, sizeof(alone.pairs)) == 0,
			   "many records: the same pairs where the arena is too small");
		}
	}
}

static uint32
common_tokens_of(const uint32 *x, uint32 x_size, const uint32 *y, uint32 y_size)
{
	uint32 common = 0;

	for (uint32 i = 0; i < x_size; i++)
	{
		for (uint32 j = 0; j < y_size; j++)
			common += x[i] == y[j];
	}
	return common;
}

static bool
can_meet(const JoinRecords *records, Predicate predicate, const JoinRecord *x, const JoinRecord *y)
{
	if (!records->two_sided)
		return true;
	return JoinRecordIsLeft(records, x) != JoinRecordIsLeft(records, y) &&
		   (!MeasureIsAsymmetric(predicate.measure) || JoinRecordIsLeft(records, x));
}

/* Each record's probing prefix with each indexing prefix, token by token. */
static double
count_meetings(const JoinRecords *records, Predicate predicate)
{
	double meetings = 0;

	for (uint32 i = 0; i < records->record_count; i++)
	{
		const JoinRecord *x = &records->records[i];

		for (uint32 j = 0; j < records->record_count; j++)
		{
			const JoinRecord *y = &records->records[j];

			if (can_meet(records, predicate, x, y))
				meetings += common_tokens_of(
					JoinRecordTokens(records, x), PredicateProbingPrefix(predicate, x->size),
					JoinRecordTokens(records, y), PredicateIndexingPrefix(predicate, y->size));
		}
	}
	return MeasureIsAsymmetric(predicate.measure) ? meetings : meetings / 2;
}

static double
count_shared(const JoinRecords *records, const JoinRecord *record, int64 prefix)
{
	double shared = 0;

	for (int64 j = 0; j < prefix; j++)
		shared += JoinRecordTokens(records, record)[j] >= records->first_shared_token;
	return shared;
}

/* Tokens that are in several records: of probing prefixes, and of what only they look up. */
static double
count_postings(const JoinRecords *records, Predicate predicate)
{
	bool asymmetric = MeasureIsAsymmetric(predicate.measure);
	double postings = 0;

	for (uint32 i = 0; i < records->record_count; i++)
	{
		const JoinRecord *x = &records->records[i];
		bool is_left = !records->two_sided || JoinRecordIsLeft(records, x);
		bool is_right = !records->two_sided || !is_left;

		if (is_left || !asymmetric)
			postings += count_shared(records, x, PredicateProbingPrefix(predicate, x->size));
		if (is_right && asymmetric)
			postings += count_shared(records, x, PredicateIndexingPrefix(predicate, x->size));
	}
	return postings;
}

static void
test_meetings(void)
{
	static Set sets[MAX_RECORDS];
	uint32 wrong = 0;
	double all = 0;

	for (uint32 seed = 1; seed <= 120; seed++)
	{
		JoinHost host = test_host();
		Predicate predicate;
		JoinRecords records;
		ListWork work;
		double expected;

		random_state = seed;
		make_sets(sets, MAX_RECORDS, 12 << seed % 8, seed % 2 == 0, 20);
		predicate = random_predicate(seed % MEASURE_COUNT);
		JoinRecordsInit(&records, &host);
		records.two_sided = seed > 60;
		if (records.two_sided)
			records.first_right_row = MAX_RECORDS / 4;
		for (uint32 i = 0; i < MAX_RECORDS; i++)
		{
			if (sets[i].size > 0)
				JoinRecordsAppend(&records, i, sets[i].tokens, sets[i].size);
		}
		JoinRecordsCanonicalize(&records);
		expected = count_meetings(&records, predicate);
		work = JoinListWork(&records, predicate, JOIN_AUTO);
		wrong += work.meetings != expected || work.postings != count_postings(&records, predicate);
		all += expected;
		JoinRecordsFree(&records);
		wrong += host.bytes != 0;
	}
	ok(all > 0 && wrong == 0, "meetings: as many as prefixes have tokens in common, and postings");
}

/* Records that are so large that signatures do not tell them apart, or are not. */
static void
test_compared(uint32 size, bool are_compared)
{
	enum
	{
		COUNT = 60
	};
	Predicate predicate = {.measure = MEASURE_JACCARD, .threshold = 0.5};
	double all =
		COUNT * (COUNT - 1) / 2.0 * 2 * (size - PredicateLeastOverlap(predicate, size, size));
	int64 *tokens = malloc(size * sizeof(int64));
	JoinHost host = test_host();
	JoinRecords records;
	double compared;
	char rule[100];

	random_state = 7;
	JoinRecordsInit(&records, &host);
	for (uint32 i = 0; i < COUNT; i++)
	{
		for (uint32 k = 0; k < size; k++)
			tokens[k] = k * 4 + random_below(4);
		JoinRecordsAppend(&records, i, tokens, size);
	}
	JoinRecordsCanonicalize(&records);
	compared = JoinListWork(&records, predicate, JOIN_AUTO).compared / all;
	snprintf(rule, sizeof(rule), "meetings: of sets of %u tokens, %.2f of all pairs are compared",
			 size, compared);
	ok(are_compared ? compared > 0.9 && compared <= 1.05 : compared == 0, rule);
	JoinRecordsFree(&records);
	free(tokens);
}

typedef struct ListLength
{
	uint32 probing;
	uint32 indexed;
} ListLength;

/* More records than the sample takes. */
static void
test_many_meetings(void)
{
	static Set sets[MANY];
	const Predicate predicate = {.measure = MEASURE_JACCARD, .threshold = 0.6};
	JoinHost host = test_host();
	JoinRecords records;
	ListLength *lists;
	double expected = 0;
	double share;
	char rule[100];

	random_state = 5;
	make_sets(sets, MANY, 3000, true, 24);
	JoinRecordsInit(&records, &host);
	for (uint32 i = 0; i < MANY; i++)
		JoinRecordsAppend(&records, i, sets[i].tokens, sets[i].size);
	JoinRecordsCanonicalize(&records);
	lists = calloc(records.distinct_tokens, sizeof(ListLength));
	for (uint32 i = 0; i < records.record_count; i++)
	{
		const JoinRecord *record = &records.records[i];

		for (int64 j = 0; j < PredicateProbingPrefix(predicate, record->size); j++)
			lists[JoinRecordTokens(&records, record)[j]].probing++;
		for (int64 j = 0; j < PredicateIndexingPrefix(predicate, record->size); j++)
			lists[JoinRecordTokens(&records, record)[j]].indexed++;
	}
	for (uint32 w = 0; w < records.distinct_tokens; w++)
		expected += (double) lists[w].probing * lists[w].indexed / 2;
	share = JoinListWork(&records, predicate, JOIN_AUTO).meetings / expected;
	snprintf(rule, sizeof(rule), "meetings: %.2f of those of %d records are foretold by a sample",
			 share, MANY);
	ok(share > 0.9 && share < 1.1, rule);
	free(lists);
	JoinRecordsFree(&records);
}

/* A join whose memory is foretold while its records arrive. */
typedef struct ForetoldJoin
{
	JoinHost host;
	JoinRecords records;
	JoinLoad load;
} ForetoldJoin;

static void
begin_foretold(ForetoldJoin *join, Predicate predicate, JoinAlgorithm algorithm, bool helped)
{
	join->host = helped ? test_host_with_helpers() : test_host();
	JoinRecordsInit(&join->records, &join->host);
	JoinLoadInit(&join->load, predicate, algorithm, SIZE_MAX);
}

static void
append_foretold(ForetoldJoin *join, const int64 *tokens, uint32 size)
{
	if (size == 0)
		return;
	JoinRecordsAppend(&join->records, join->records.record_count, tokens, size);
	JoinLoadAdd(&join->load, size);
}

/* How much of the memory that was foretold, or of the arena, the join takes at its peak. */
static double
end_foretold(ForetoldJoin *join)
{
	JoinEngine engine;
	JoinCounters counters = {0};
	uint64 pairs = 0;
	bool helped = join->host.arena.size > 0;
	Size need = helped ? JoinLoadShared(&join->load, &join->records, TEST_HELPERS + 1)
					   : JoinLoadNeed(&join->load, &join->records);

	JoinRecordsCanonicalize(&join->records);
	JoinShareRecords(&join->records);
	JoinEngineIndex(&engine, &join->records, join->load.predicate, join->load.algorithm);
	JoinEngineProbe(&engine, count_pair, &pairs, &counters);
	JoinEngineFree(&engine);
	JoinRecordsFree(&join->records);
	return (double) (helped ? join->host.arena.used : join->host.peak_bytes) / need;
}

/* Joins that are small have little but the fixed parts. */
static void
test_small_loads(void)
{
	static Set sets[60];
	double greatest = 0;

	for (uint32 seed = 0; seed < 2000; seed++)
	{
		uint32 count = 2 + seed % 59;
		Predicate predicate;
		ForetoldJoin join;
		double share;

		random_state = seed;
		make_sets(sets, count, 6 << random_below(14), seed % 4 == 0, 1 + random_below(MAX_SIZE));
		predicate = random_predicate(seed % MEASURE_COUNT);
		if (predicate.measure == MEASURE_HAMMING)
			predicate.threshold = random_below(60);
		else if (predicate.measure != MEASURE_OVERLAP)
			predicate.threshold = (1 + random_below(20)) / 20.0;
		begin_foretold(&join, predicate, JOIN_AUTO - (seed / 3 % 4 == 3), false);
		join.records.two_sided = seed % 2 == 0;
		join.records.first_right_row = seed % 2 == 0 ? count / 2 : PG_UINT32_MAX;
		for (uint32 i = 0; i < count; i++)
			append_foretold(&join, sets[i].tokens, sets[i].size);
		share = end_foretold(&join);
		greatest = Max(greatest, share);
	}
	ok(greatest <= 1 && greatest > 0.7, "load: small joins by all measures take what was said");
}

/*
 * What a join says that it will need is no less than what it takes, and not
 * much more.
 */
static void
test_load(JoinAlgorithm algorithm, uint32 count, uint32 universe, uint32 size, double threshold,
		  bool helped)
{
	static Set sets[30000];
	Predicate predicate = {.measure = MEASURE_JACCARD, .threshold = threshold};
	ForetoldJoin join;
	double share;
	char rule[128];

	random_state = count;
	make_sets(sets, count, universe, true, size);
	begin_foretold(&join, predicate, algorithm, helped);
	for (uint32 i = 0; i < count; i++)
		append_foretold(&join, sets[i].tokens, sets[i].size);
	share = end_foretold(&join);
	snprintf(rule, sizeof(rule),
			 "load: %u sets of up to %u tokens of %u take %.2f of %s that was said", count, size,
			 universe, share, helped ? "the arena" : "the memory");
	ok(share <= 1 && share >= 0.5 && !join.host.arena.is_short, rule);
}

/* Sets too large to be sorted in registers, all of one size. */
static void
test_large_load(void)
{
	enum
	{
		COUNT = 300,
		SIZE = 3 * RANK_SORT_MOST
	};
	Predicate predicate = {.measure = MEASURE_JACCARD, .threshold = 0.95};
	ForetoldJoin join;
	double share;
	char rule[128];

	begin_foretold(&join, predicate, JOIN_AUTO, false);
	for (uint32 i = 0; i < COUNT; i++)
	{
		int64 tokens[SIZE];

		for (uint32 k = 0; k < SIZE; k++)
			tokens[k] = (k * 2 + random_below(2)) * INT64CONST(1000003);
		append_foretold(&join, tokens, SIZE);
	}
	share = end_foretold(&join);
	snprintf(rule, sizeof(rule), "load: %d sets of %d tokens take %.2f of the memory that was said",
			 COUNT, SIZE, share);
	ok(share <= 1 && share >= 0.9, rule);
}

static int
compare_items(uint32 a, uint32 b, void *context)
{
	return a < b ? -1 : a > b;
}

/* Keys of several shapes: hashes, few values, small numbers with both extremes, clusters. */
static uint64
random_key(int shape)
{
	switch (shape)
	{
		case 0:
			return random_bits();
		case 1:
			return random_below(3);
		case 2:
			return random_below(50) == 0 ? PG_UINT64_MAX : random_below(1000);
		default:
			return ((uint64) random_below(4) << (16 * random_below(4))) + random_below(100);
	}
}

static void
test_key_sort(void)
{
	static KeyedItem items[50000];
	static uint64 keys[50000];
	static bool seen[50000];
	const uint32 counts[] = {1, 2, 40, 1000, 50000};
	uint32 wrong = 0;

	random_state = 99;
	for (uint32 round = 0; round < 4 * lengthof(counts); round++)
	{
		JoinHost host = test_host();
		uint32 count = counts[round / 4];

		for (uint32 i = 0; i < count; i++)
			items[i] = (KeyedItem){.key = keys[i] = random_key(round % 4), .item = i};
		memset(seen, 0, sizeof(seen));
		KeySort(items, count, compare_items, NULL, &host);
		for (uint32 i = 0; i < count; i++)
		{
			wrong += seen[items[i].item] || items[i].key != keys[items[i].item];
			seen[items[i].item] = true;
			wrong +=
				i > 0 && (items[i - 1].key > items[i].key ||
						  (items[i - 1].key == items[i].key && items[i - 1].item > items[i].item));
		}
		wrong += host.bytes != 0 || host.peak_bytes != KeySortBytes(count);
	}
	ok(wrong == 0, "key sort: by key and then as compared, in the memory that was said");
}

static int
compare_uint32(const void *a, const void *b)
{
	uint32 x = *(const uint32 *) a;
	uint32 y = *(const uint32 *) b;

	return x < y ? -1 : x > y;
}

/* Sets of every size that is sorted in registers; what stands behind them is left alone. */
#define RANK_SORT_MOST_SETS 5

static void
test_rank_sort(void)
{
	static uint32 rank_of_id[1000];
	RankSort sort = RankSortBest();
	uint32 wrong = 0;

	if (sort == NULL)
	{
		ok(true, "rank sort: # SKIP not on this processor");
		return;
	}
	random_state = 7;
	for (uint32 round = 0; round < 20 * RANK_SORT_MOST; round++)
	{
		uint32 size = 1 + round % RANK_SORT_MOST;
		uint32 set_count = 1 + random_below(RANK_SORT_MOST_SETS);
		uint32 content[RANK_SORT_MOST_SETS * (RANK_SORT_MOST + 1)] = {0};
		uint32 expected[RANK_SORT_MOST_SETS * (RANK_SORT_MOST + 1)] = {0};
		uint32 *sets[RANK_SORT_MOST_SETS];

		for (uint32 id = 0; id < lengthof(rank_of_id); id++)
			rank_of_id[id] = round % 3 == 0	  ? id
							 : round % 3 == 1 ? PG_UINT32_MAX - id
											  : (uint32) random_bits();
		/* Set behind set, with one number between them that stays as it is. */
		for (uint32 set = 0; set < set_count; set++)
		{
			uint32 *ranks = expected + set * (size + 1);

			sets[set] = content + set * (size + 1);
			for (uint32 i = 0; i <= size; i++)
			{
				sets[set][i] = random_below(lengthof(rank_of_id));
				ranks[i] = i < size ? rank_of_id[sets[set][i]] : sets[set][i];
			}
			qsort(ranks, size, sizeof(uint32), compare_uint32);
		}
		sort(rank_of_id, sets, set_count, size);
		wrong += memcmp(content, expected, set_count * (size + 1) * sizeof(uint32)) != 0;
	}
	ok(wrong == 0, "rank sort: the ranks of each set, in order");
}

#define CANONICAL_TOKENS 3000
#define CANONICAL_HUGE (RECORDS_BLOCK + 5000)
#define IN_ALL 5

/* The token that has this hash. */
static int64
token_of_hash(uint64 hash)
{
	uint64 factor = DictionaryHash(1);
	uint64 inverse = factor;

	/* Each step doubles the lowest bits that are right. */
	for (int i = 0; i < 6; i++)
		inverse *= 2 - factor * inverse;
	hash *= inverse;
	return (int64) (hash ^ hash >> 32);
}

/* A token of the test below, and how many records have it. */
typedef struct CanonicalToken
{
	uint32 token;
	uint32 frequency;
} CanonicalToken;

/* Most as they are; some of which the search begins in the first slots, and in the last ones. */
static int64
canonical_value(uint32 token)
{
	switch (token % 16)
	{
		case 0:
			return token_of_hash(token);
		case 1:
			return token_of_hash(PG_UINT64_MAX - token);
		default:
			return token;
	}
}

static int
compare_canonical(const void *a, const void *b)
{
	const CanonicalToken *x = a;
	const CanonicalToken *y = b;

	if (x->frequency != y->frequency)
		return x->frequency < y->frequency ? -1 : 1;
	return DictionaryHash(canonical_value(x->token)) < DictionaryHash(canonical_value(y->token))
			   ? -1
			   : 1;
}

/* Slots of a table of so many tokens, which is sparse below a number of slots. */
static uint64
slots_of_table(uint32 count, uint64 sparse_slots)
{
	JoinHost host = test_host();
	TokenDictionary dictionary;
	uint64 slots;

	TokenDictionaryInit(&dictionary, &host);
	dictionary.sparse_slots = sparse_slots;
	for (uint32 i = 0; i < count; i++)
	{
		int64 token = random_bits();
		uint32 id;

		TokenDictionaryAdd(&dictionary, &token, 1, &id);
	}
	slots = dictionary.slot_count;
	TokenDictionaryFree(&dictionary);
	return slots;
}

static void
test_sparse_tables(void)
{
	ok(slots_of_table(1024, 16384) == 4096 && slots_of_table(1025, 16384) == 16384,
	   "table of tokens: three of four slots are free while it is small");
	ok(slots_of_table(1024, 2048) == 2048 && slots_of_table(1025, 2048) == 4096 &&
		   slots_of_table(1024, 0) == 2048,
	   "table of tokens: half of them, where that would take more than it may");
}

/* Whether an arrived record has this row and these tokens. */
static bool
is_arrived(const JoinRecords *records, const uint32 *record, uint32 row, const int64 *tokens,
		   uint32 size)
{
	if (record[0] != row)
		return false;
	for (uint32 i = 0; i < size; i++)
	{
		if (records->dictionary.entries[record[1 + i]].token != tokens[i])
			return false;
	}
	return true;
}

/* Records are found again by size, in the order of arrival, and take no more than their bound. */
static void
test_arrival(void)
{
	static int64 tokens[6000][3 * ARRIVED_CHUNK];
	static uint32 sizes[6000];
	const uint32 common_sizes[] = {1, 2, 3, 14, 100, 340, 341, 510, 511, 512, 1021, 1022, 1023};
	JoinHost host = test_host();
	JoinRecords records;
	uint32 wrong = 0;
	uint32 seen = 0;
	double fullest = 0;

	random_state = 37;
	JoinRecordsInit(&records, &host);
	for (uint32 row = 0; row < lengthof(sizes); row++)
	{
		sizes[row] = random_below(4) > 0 ? common_sizes[random_below(lengthof(common_sizes))]
										 : 1 + random_below(lengthof(tokens[0]));
		for (uint32 i = 0; i < sizes[row]; i++)
			tokens[row][i] = (int64) i * 1000 + random_below(1000);
		JoinRecordsAppend(&records, row, tokens[row], sizes[row]);
		wrong += records.content_count > records.content_bound;
		fullest = Max(fullest, (double) records.content_count / records.content_bound);
	}
	JoinRecordsNumber(&records);
	for (uint32 i = 0; i < records.arrival_count; i++)
	{
		const ArrivedRecords *arrivals = &records.arrivals[i];
		ArrivedScan scan;
		uint32 *record;
		uint32 left = 0;

		JoinArrivedBegin(&scan, &records, arrivals);
		for (uint32 row = 0; row < lengthof(sizes); row++)
		{
			if (sizes[row] != arrivals->size)
				continue;
			if (left == 0)
				left = JoinArrivedNext(&scan, &record);
			wrong += left == 0 || !is_arrived(&records, record, row, tokens[row], sizes[row]);
			record += JoinArrivedStride(sizes[row]);
			left--;
			seen++;
		}
		wrong += left != 0 || JoinArrivedNext(&scan, &record) != 0;
	}
	ok(wrong == 0 && seen == lengthof(sizes) && fullest > 0.9,
	   "arrival: records stand by size, as they came, in no more room than their bound");
	JoinRecordsFree(&records);
	ok(host.bytes == 0, "arrival: all is freed before records are canonical");
}

/*
 * Ranks by document frequency and hash, as counting says, in records of sizes from 1 to more than a
 * block.
 */
static void
test_canonical_ranks(void)
{
	static int64 tokens[CANONICAL_HUGE];
	static CanonicalToken order[CANONICAL_TOKENS + CANONICAL_HUGE];
	static uint8 has[4500][CANONICAL_TOKENS];
	const uint32 sizes[] = {1, 5, 15, 16, 17, 33, 64, 127, 128, 129, 200, 700, 2500};
	JoinHost host = test_host();
	JoinRecords records;
	uint32 unused = 0;
	uint32 wrong = 0;

	random_state = 31;
	JoinRecordsInit(&records, &host);
	for (uint32 token = 0; token < lengthof(order); token++)
		order[token] = (CanonicalToken){.token = token, .frequency = token >= CANONICAL_TOKENS};
	for (uint32 row = 0; row < lengthof(has); row++)
	{
		/* Some of a size that no other has, too small for a block. */
		uint32 size = row % 500 == 0 ? 130 + row / 40 : sizes[random_below(lengthof(sizes))];
		uint32 count = 0;

		/* The last of them in all sets. */
		while (count < size + IN_ALL)
		{
			uint32 token = count < IN_ALL ? CANONICAL_TOKENS - 1 - count
										  : random_below(random_below(CANONICAL_TOKENS) + 1);

			if (has[row][token])
				continue;
			has[row][token] = 1;
			order[token].frequency++;
			tokens[count++] = canonical_value(token);
		}
		JoinRecordsAppend(&records, row, tokens, count);
		/* One that no block takes, of tokens that no other record has. */
		if (row == lengthof(has) / 2)
		{
			for (uint32 i = 0; i < CANONICAL_HUGE; i++)
				tokens[i] = canonical_value(CANONICAL_TOKENS + i);
			JoinRecordsAppend(&records, lengthof(has), tokens, CANONICAL_HUGE);
		}
	}
	JoinRecordsCanonicalize(&records);

	qsort(order, lengthof(order), sizeof(CanonicalToken), compare_canonical);
	while (order[unused].frequency == 0)
		unused++;
	for (uint32 i = 0; i < records.record_count; i++)
	{
		const JoinRecord *record = &records.records[i];
		const uint32 *ranks = JoinRecordTokens(&records, record);
		uint32 next = 0;

		for (uint32 place = unused; place < lengthof(order); place++)
		{
			uint32 token = order[place].token;

			if (record->row == lengthof(has) ? token >= CANONICAL_TOKENS
											 : token < CANONICAL_TOKENS && has[record->row][token])
				wrong += next >= record->size || ranks[next++] != place - unused;
		}
		wrong += next != record->size;
	}
	ok(records.record_count == lengthof(has) + 1 && wrong == 0 &&
		   order[lengthof(order) - IN_ALL - 5].frequency >= DICTIONARY_FREQUENT,
	   "canonical: each record's ranks are those of its tokens, ascending");
	JoinRecordsFree(&records);
}

/*
 * Records that are appended as long as they fit can be joined within the limit, large ones after
 * small ones too.
 */
static void
test_fitting(JoinAlgorithm algorithm)
{
	enum
	{
		LARGE_COUNT = 20,
		LARGE_SIZE = 1000
	};
	static Set small[6000];
	int64 tokens[LARGE_COUNT + LARGE_SIZE];
	Predicate predicate = {.measure = MEASURE_JACCARD, .threshold = 0.5};
	double greatest = 0;
	char rule[128];

	random_state = 1;
	make_sets(small, lengthof(small), 1000, false, 7);
	for (uint32 i = 0; i < lengthof(tokens); i++)
		tokens[i] = (int64) i * 1000003;
	for (uint32 small_count = 2000; small_count <= lengthof(small); small_count += 25)
	{
		ForetoldJoin join;

		begin_foretold(&join, predicate, algorithm, false);
		join.load.limit = 600000;
		for (uint32 i = 0; i < small_count + LARGE_COUNT; i++)
		{
			bool is_small = i < small_count;
			uint32 size = is_small ? small[i].size : LARGE_SIZE;

			if (size == 0)
				continue;
			if (!JoinLoadFits(&join.load, &join.records, size, 0))
				break;
			append_foretold(&join, is_small ? small[i].tokens : tokens + i - small_count, size);
		}
		(void) end_foretold(&join);
		greatest = Max(greatest, (double) join.host.peak_bytes / join.load.limit);
	}
	snprintf(rule, sizeof(rule), "load: what fits takes at most %.2f of the limit", greatest);
	ok(greatest <= 1 && greatest >= 0.55, rule);
}

/*
 * With each set the usual size grows a little, up to one of which signatures are twice as wide as
 * those of the sizes before and after it.
 */
static void
test_fitting_of_widths(void)
{
	enum
	{
		SMALL_COUNT = 270,
		SMALL_SIZE = 53,
		LARGE_SIZE = 92
	};
	Predicate predicate = {.measure = MEASURE_JACCARD, .threshold = 0.4};
	ForetoldJoin join;
	double share;
	uint32 size = SMALL_SIZE;
	char rule[128];

	random_state = 5;
	begin_foretold(&join, predicate, JOIN_AUTO, false);
	join.load.limit = 1164463;
	while (JoinLoadFits(&join.load, &join.records, size, 0))
	{
		int64 tokens[LARGE_SIZE];

		for (uint32 k = 0; k < size; k++)
			tokens[k] = k * 4 + random_below(4);
		append_foretold(&join, tokens, size);
		size = join.records.record_count < SMALL_COUNT ? SMALL_SIZE : LARGE_SIZE;
	}
	(void) end_foretold(&join);
	share = (double) join.host.peak_bytes / join.load.limit;
	snprintf(rule, sizeof(rule), "load: what fits while signatures widen takes %.2f of the limit",
			 share);
	ok(share <= 1 && share >= 0.5, rule);
}

/*
 * Large sets whose signatures tell nothing are joined one by one, unless many are equal; either
 * way in the memory that was said, also if tokens are many.
 */
static void
test_choice(uint32 contents, uint32 universe, double threshold, JoinAlgorithm expected)
{
	enum
	{
		COUNT = 300,
		SIZE = 700
	};
	ForetoldJoin join;
	JoinCounters counters = {0};
	JoinEngine engine;
	uint64 pairs = 0;
	double share;
	Size need;
	char rule[128];

	begin_foretold(&join, (Predicate){.measure = MEASURE_JACCARD, .threshold = threshold},
				   JOIN_AUTO, false);
	for (uint32 i = 0; i < COUNT; i++)
	{
		static int64 tokens[SIZE];

		random_state = 1 + i % contents;
		for (uint32 k = 0; k < SIZE; k++)
			tokens[k] = (int64) k * universe + random_below(universe);
		append_foretold(&join, tokens, SIZE);
	}
	need = JoinLoadNeed(&join.load, &join.records);
	JoinRecordsCanonicalize(&join.records);
	JoinEngineIndex(&engine, &join.records, join.load.predicate, JOIN_AUTO);
	JoinEngineProbe(&engine, count_pair, &pairs, &counters);
	ok(engine.spec.algorithm == expected, "large sets: joined as is faster");
	ok(pairs == (uint64) COUNT * (COUNT / contents - 1) / 2,
	   "large sets: the equal ones are pairs");
	JoinEngineFree(&engine);
	JoinRecordsFree(&join.records);
	share = (double) join.host.peak_bytes / need;
	snprintf(rule, sizeof(rule), "large sets: of %u tokens they take %.2f of what was said",
			 universe * SIZE, share);
	/* It is not known how many are equal, nor with it what will be faster. */
	ok(share <= 1 && share >= 0.3, rule);
}

/* A token of all sets makes one list that is longer than partitions are meant to be. */
static void
test_load_of_long_list(JoinAlgorithm algorithm)
{
	enum
	{
		COUNT = 400000
	};
	ForetoldJoin join;
	double share;
	char rule[128];

	begin_foretold(&join, (Predicate){.measure = MEASURE_CONTAINMENT, .threshold = 1}, algorithm,
				   false);
	for (int64 i = 0; i < COUNT; i++)
	{
		Set set = {.size = 4, .tokens = {-1, i % 30000, 100000 + i % 50021, 200000 + i % 40009}};

		append_foretold(&join, set.tokens, set.size);
	}
	share = end_foretold(&join);
	snprintf(rule, sizeof(rule), "load: a list of %d sets takes %.2f of what was said", COUNT,
			 share);
	ok(share <= 1 && share >= 0.5, rule);
}

/* Every scan for this processor finds the same, and what is near by definition. */
static void
test_signatures(void)
{
	enum
	{
		COUNT = 203,
		UNIVERSE = 300
	};
	SignatureScan scans[SIGNATURE_SCANS] = {{NULL}};
	int scan_count = SignatureScansAvailable(scans);
	uint32 wrong = 0;
	uint32 above = 0;
	uint32 wrongly_made = 0;
	uint64 near_total = 0;

	random_state = 1234;
	for (uint32 words = 1; words <= SIGNATURE_MAX_WORDS; words *= 2)
	{
		static uint64 planes[SIGNATURE_MAX_WORDS][COUNT];
		static bool member[COUNT][UNIVERSE];
		SignaturePlanes signatures = {.words = words};

		for (uint32 w = 0; w < words; w++)
			signatures.planes[w] = planes[w];
		for (uint32 i = 0; i < COUNT; i++)
		{
			uint32 tokens[UNIVERSE];
			uint32 size = 0;
			uint64 signature[SIGNATURE_MAX_WORDS] = {0};

			for (uint32 token = 0; token < UNIVERSE; token++)
			{
				bool copied = i > 0 && random_below(10) > 0;

				member[i][token] = copied ? member[i - 1][token] : random_below(8) == 0;
				if (member[i][token])
					tokens[size++] = token;
			}
			for (uint32 k = 0; k < size; k++)
				SignatureToggle(signature, SignatureBit(tokens[k], words));
			for (uint32 w = 0; w < words; w++)
				planes[w][i] = signature[w];
			for (int s = 0; s < scan_count; s++)
			{
				uint64 made[SIGNATURE_MAX_WORDS] = {0};
				uint32 part = random_below(size + 1);

				/* in two steps, as for huge records */
				scans[s].add(made, words, tokens, part);
				scans[s].add(made, words, tokens + part, size - part);
				wrongly_made += memcmp(made, signature, words * sizeof(uint64)) != 0;
			}
		}
		for (uint32 x = 0; x < COUNT; x++)
		{
			uint32 first = random_below(COUNT);
			uint32 end = first + random_below(COUNT - first + 1);
			uint32 greatest = random_below(40);

			for (uint32 i = first; i < end; i++)
			{
				uint32 distance = 0;

				for (uint32 token = 0; token < UNIVERSE; token++)
					distance += member[x][token] != member[i][token];
				above += SignatureDistance(&signatures, x, i) > distance;
			}
			for (int s = 0; s < scan_count; s++)
			{
				uint32 near[COUNT];
				uint32 distances[COUNT];
				uint32 count = scans[s].one(&signatures, x, first, end, greatest, near, distances);
				uint32 place = 0;

				for (uint32 i = first; i < end; i++)
				{
					uint32 distance = SignatureDistance(&signatures, x, i);

					if (distance <= greatest)
					{
						wrong += place >= count || near[place] != i || distances[place] != distance;
						place++;
					}
				}
				wrong += place != count;
				near_total += count;
			}
			for (int s = 0; s < scan_count; s++)
			{
				int32 distances[COUNT];
				uint8 near[COUNT];
				uint32 lanes = Min(end - first, 1 + x % SIGNATURE_LANES);

				for (uint32 i = 0; i < COUNT - x; i++)
					distances[i] = (int32) (greatest + i % 7) - 5;
				memset(near, 0xff, sizeof(near));
				scans[s].many(&signatures, x, COUNT, first, first + lanes, distances, near);
				for (uint32 i = 0; i < COUNT - x; i++)
				{
					for (uint32 y = 0; y < SIGNATURE_LANES; y++)
					{
						bool is_near = y < lanes && distances[i] >= 0 &&
									   SignatureDistance(&signatures, x + i, first + y) <=
										   (uint32) distances[i];

						wrong += (near[i] >> y & 1) != is_near;
					}
				}
			}
		}
	}
	ok(wrongly_made == 0, "signatures: each token toggles its bit");
	ok(above == 0, "signatures: they differ in no more bits than the sets in tokens");
	ok(wrong == 0 && near_total > 1000, "signatures: all scans find those that are near");
}

/* Sets of which one alone takes long in every loop over tokens. */
static void
test_interrupts(void)
{
	const uint32 size = 1 << 22;
	const uint64 least = size / JOIN_WORK_BETWEEN_CHECKS;
	int64 *tokens = malloc((size + 1) * sizeof(int64));
	const int64 *sets[2] = {tokens, tokens + 1};
	uint32 sizes[2] = {size, size};

	for (uint32 i = 0; i <= size; i++)
		tokens[i] = (int64) i * 1000003;
	for (int algorithm = JOIN_ALLPAIRS; algorithm <= JOIN_AUTO; algorithm++)
	{
		Course course =
			run_course(test_host(), sets, sizes, 2,
					   (Predicate){.measure = MEASURE_JACCARD, .threshold = 0.5}, algorithm);

		ok(course.pairs == 1 && course.append_checks >= 2 * least &&
			   course.canonicalize_checks >= 2 * least && course.index_checks >= 2 * least &&
			   course.probe_checks >= 2 * least,
		   "interrupts: huge sets are interrupted in every phase");
	}
	free(tokens);
}

/*
 * Distinct tokens of which the search begins in one slot, the greatest hash first: each is compared
 * with all before it.
 */
static void
test_interrupts_of_collisions(void)
{
	enum
	{
		COUNT = 8000
	};
	static int64 tokens[COUNT];
	const int64 *sets[1] = {tokens};
	const uint32 sizes[1] = {COUNT};
	const uint64 least = (uint64) COUNT * COUNT / 2 / JOIN_WORK_BETWEEN_CHECKS;
	Course course;

	for (uint32 i = 0; i < COUNT; i++)
		tokens[i] = token_of_hash(COUNT - i);
	course = run_course(test_host(), sets, sizes, 1,
						(Predicate){.measure = MEASURE_JACCARD, .threshold = 0.5}, JOIN_AUTO);
	ok(course.append_checks >= least / 2 && course.canonicalize_checks >= least / 2,
	   "interrupts: between tokens that collide");
}

/* Equal sets of one key, which are passed over, each by itself. */
static void
test_interrupts_of_repeats(void)
{
	enum
	{
		COUNT = 4 * JOIN_WORK_BETWEEN_CHECKS
	};
	const int64 token = 1;
	int64 *key_order = calloc(COUNT, sizeof(int64));
	JoinHost host = test_host();
	JoinRecords records;
	JoinEngine engine;
	uint64 pairs = 0;

	JoinRecordsInit(&records, &host);
	for (uint32 i = 0; i < COUNT; i++)
		JoinRecordsAppend(&records, i, &token, 1);
	records.key_order = key_order;
	JoinRecordsCanonicalize(&records);
	JoinEngineIndex(&engine, &records, (Predicate){.measure = MEASURE_JACCARD, .threshold = 0.5},
					JOIN_AUTO);
	checks_since_last();
	ListJoinRepeats(&engine.lists, 0, COUNT, count_pair, &pairs);
	ok(checks_since_last() >= 3 && pairs == 0, "interrupts: between equal sets of one key");
	JoinEngineFree(&engine);
	JoinRecordsFree(&records);
	free(key_order);
}

/*
 * Signatures are as wide as the sets want of which the postings are, of all that there are; the
 * width goes up and down with their size.
 */
static void
test_load_of_two_sizes(void)
{
	enum
	{
		COUNT = 14356
	};

	for (int helped = 0; helped < 2; helped++)
	{
		ForetoldJoin join;
		double share;
		char rule[128];

		random_state = 3;
		begin_foretold(&join, (Predicate){.measure = MEASURE_CONTAINMENT, .threshold = 0.5},
					   JOIN_AUTO, helped);
		for (uint32 i = 0; i < COUNT; i++)
		{
			Set set = {.size = i < 4356 ? 16 : 6};

			for (uint32 k = 0; k < set.size; k++)
				set.tokens[k] = k * 100 + random_below(100);
			append_foretold(&join, set.tokens, set.size);
		}
		share = end_foretold(&join);
		snprintf(rule, sizeof(rule), "load: sets of two sizes take %.2f of %s that was said", share,
				 helped ? "the arena" : "the memory");
		ok(share <= 1 && share >= 0.5 && !join.host.arena.is_short, rule);
	}
}

/* A list of which a set meets more entries than are looked at in one go: none is left out between. */
static void
test_long_window(void)
{
	enum
	{
		COUNT = 2500,
		SIZE = 4
	};
	static int64 tokens[COUNT][SIZE];
	const int64 *sets[COUNT];
	uint32 sizes[COUNT];

	for (uint32 i = 0; i < COUNT; i++)
	{
		const int64 set[SIZE] = {1, 2, 3, 1000 + i};

		memcpy(tokens[i], set, sizeof(set));
		sets[i] = tokens[i];
		sizes[i] = SIZE;
	}
	for (int helped = 0; helped < 2; helped++)
	{
		Course course =
			run_course(helped ? test_host_with_helpers() : test_host(), sets, sizes, COUNT,
					   (Predicate){.measure = MEASURE_JACCARD, .threshold = 0.5}, JOIN_AUTO);

		ok(course.pairs == (uint64) COUNT * (COUNT - 1) / 2 && course.divided == helped,
		   "long window: no entry is left out, by one process and where the list is divided");
	}
}

int
main(void)
{
	for (int measure = 0; measure < MEASURE_COUNT; measure++)
		test_joins((Measure) measure);
	test_suffix_filter();
	test_overlap();
	test_common_tokens();
	test_order_of_arrival(JOIN_PPJOIN_PLUS);
	test_order_of_arrival(JOIN_AUTO);
	test_signatures();
	test_many_records();
	test_meetings();
	test_compared(20, false);
	test_compared(3000, true);
	test_many_meetings();
	test_long_window();
	test_key_sort();
	test_rank_sort();
	test_sparse_tables();
	test_arrival();
	test_canonical_ranks();
	for (int algorithm = JOIN_PPJOIN; algorithm <= JOIN_AUTO; algorithm += 2)
	{
		for (int helped = 0; helped < 2; helped++)
		{
			test_load(algorithm, 30, 2000, 60, 0.5, helped);
			test_load(algorithm, 40, 1000000, 60, 0.5, helped);
			test_load(algorithm, 300, 100, 10, 0.8, helped);
			test_load(algorithm, 300, 100000, 10, 0.5, helped);
			test_load(algorithm, 3000, 1000, 120, 0.9, helped);
			test_load(algorithm, 30000, 1000, 5, 0.6, helped);
			test_load(algorithm, 30000, 1000000, 30, 0.8, helped);
			test_load(algorithm, 30000, 5000, 100, 0.5, helped);
		}
		test_load(algorithm, 4, 1000, 40, 0.8, false);
		test_load_of_long_list(algorithm);
		test_fitting(algorithm);
	}
	test_choice(300, 30, 0.5, JOIN_PPJOIN);
	test_choice(300, 100000, 0.5, JOIN_PPJOIN);
	test_choice(300, 30, 0.8, JOIN_AUTO);
	test_choice(10, 30, 0.5, JOIN_AUTO);
	test_load_of_two_sizes();
	test_fitting_of_widths();
	test_small_loads();
	test_large_load();
	test_interrupts();
	test_interrupts_of_collisions();
	test_interrupts_of_repeats();
	printf("1..%d\n", tests);
	return failures > 0;
}
