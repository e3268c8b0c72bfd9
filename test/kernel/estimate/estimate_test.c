/*
 * estimate_test.c
 *		The memory that a join is estimated to take, against what it takes.
 */
#include "c.h"

#include "kernel_test.h"
#include "random_sets.h"
#include "test_host.h"
#include "whole_join.h"

/* A join whose memory is estimated while its records arrive. */
typedef struct EstimatedJoin
{
	JoinHost host;
	JoinRecords records;
	JoinAlgorithm algorithm;
	MemoryEstimate estimate;
} EstimatedJoin;

static void
begin_join(EstimatedJoin *join, Predicate predicate, JoinAlgorithm algorithm, Size limit,
		   bool parallel)
{
	join->host = parallel ? test_host_with_workers() : test_host();
	join->algorithm = algorithm;
	JoinRecordsInit(&join->records, &join->host);
	MemoryEstimateInit(&join->estimate, predicate, JoinEngineBytes(algorithm), limit);
}

/* False where the record does not fit into the limit. */
static bool
append(EstimatedJoin *join, const int64 *tokens, uint32 size)
{
	if (size == 0)
		return true;
	if (!MemoryEstimateFits(&join->estimate, &join->records, size, 0, 0))
		return false;
	JoinRecordsAppend(&join->records, join->records.record_count, tokens, size);
	MemoryEstimateAdd(&join->estimate, size);
	return true;
}

/* Joins, and returns the share of the limit that it takes at its peak, or of the arena. */
static double
end_join(EstimatedJoin *join)
{
	JoinEngine engine;
	JoinCounters counters = {0};
	uint64 pairs = 0;
	bool parallel = join->host.arena.size > 0;
	Size bytes = parallel ? MemoryEstimateShared(&join->estimate, &join->records, TEST_WORKERS + 1)
						  : join->estimate.limit;

	JoinCanonicalize(&join->records);
	JoinEngineIndex(&engine, &join->records, NULL, join->estimate.predicate, join->algorithm);
	JoinEngineFind(&engine, count_pair, &pairs, &counters);
	JoinEngineFree(&engine);
	JoinRecordsFree(&join->records);
	return (double) (parallel ? join->host.arena.used : join->host.peak_bytes) / bytes;
}

/* So strict that few pairs are found. */
static Predicate
predicate_of(uint32 seed)
{
	Predicate predicate = {.measure = (Measure) (seed % MEASURE_COUNT), .threshold = 0.8};

	if (predicate.measure == MEASURE_HAMMING)
		predicate.threshold = 5;
	else if (predicate.measure == MEASURE_OVERLAP)
		predicate.threshold = 20;
	return predicate;
}

/* Records are appended as long as they fit, by all measures, algorithms, sizes and universes. */
static void
test_limits(void)
{
	static Set sets[20000];
	double least = 1;
	double greatest = 0;
	uint32 full = 0;

	for_each_case (seed, 60, least < 0.3 || greatest > 1.2)
	{
		static const JoinAlgorithm algorithms[] = {JOIN_AUTO, JOIN_AUTO, JOIN_PPJOIN};
		EstimatedJoin join;
		Predicate predicate;
		bool fits = true;
		double share;

		make_sets(sets, lengthof(sets), 2000 << random_below(8), seed % 4 == 0,
				  2 + random_below(MAX_SET_SIZE - 1));
		predicate = predicate_of(seed);
		case_has("%s %g", MeasureName(predicate.measure), predicate.threshold);
		begin_join(&join, predicate, algorithms[seed / 7 % 3], (Size) 256 * 1024 << seed % 3,
				   false);
		join.records.two_sided = seed % 2 == 0;
		join.records.first_right_row = seed % 2 == 0 ? 500 : PG_UINT32_MAX;
		for (uint32 i = 0; fits && i < lengthof(sets); i++)
			fits = append(&join, sets[i].tokens, sets[i].size);
		share = end_join(&join);
		full += !fits;
		greatest = Max(greatest, share);
		if (!fits)
			least = Min(least, share);
	}
	ok(enough(full > 40) && least >= 0.3 && greatest <= 1.2,
	   "%u joins of what fits take %.2f to %.2f of the limit", full, least, greatest);
}

/* A few large sets after small ones, which widen the signatures of all. */
static void
test_large_sets(void)
{
	enum
	{
		SMALL_COUNT = 5000,
		LARGE_COUNT = 20,
		LARGE_SIZE = 1000
	};
	static Set small[SMALL_COUNT];
	int64 tokens[LARGE_COUNT + LARGE_SIZE];
	Predicate predicate = {.measure = MEASURE_JACCARD, .threshold = 0.5};
	EstimatedJoin join;
	double share;
	bool fits = true;

	random_state = 1;
	make_sets(small, SMALL_COUNT, 1000, false, 7);
	for (uint32 i = 0; i < lengthof(tokens); i++)
		tokens[i] = (int64) i * 1000003;
	begin_join(&join, predicate, JOIN_AUTO, 600000, false);
	for (uint32 i = 0; fits && i < SMALL_COUNT; i++)
		fits = append(&join, small[i].tokens, small[i].size);
	for (uint32 i = 0; fits && i < LARGE_COUNT; i++)
		fits = append(&join, tokens + i, LARGE_SIZE);
	share = end_join(&join);
	ok(!fits && share <= 1.2 && share >= 0.4, "large sets after small ones take %.2f of the limit",
	   share);
}

/*
 * Large sets whose signatures tell nothing are joined one by one, unless many are equal; either
 * way within the limit.
 */
static void
test_choice(uint32 contents, uint32 universe, double threshold, JoinAlgorithm expected)
{
	enum
	{
		COUNT = 300,
		SIZE = 700
	};
	EstimatedJoin join;
	JoinCounters counters = {0};
	JoinEngine engine;
	uint64 pairs = 0;
	uint32 count = 0;
	double share;

	begin_join(&join, (Predicate){.measure = MEASURE_JACCARD, .threshold = threshold}, JOIN_AUTO,
			   (Size) 20 * 1024 * 1024, false);
	for (;; count++)
	{
		static int64 tokens[SIZE];

		random_state = 1 + count % contents;
		for (uint32 k = 0; k < SIZE; k++)
			tokens[k] = (int64) k * universe + random_below(universe);
		if (count == COUNT || !append(&join, tokens, SIZE))
			break;
	}
	JoinCanonicalize(&join.records);
	JoinEngineIndex(&engine, &join.records, NULL, join.estimate.predicate, JOIN_AUTO);
	JoinEngineFind(&engine, count_pair, &pairs, &counters);
	ok(engine.spec.algorithm == expected, "large sets: joined as is faster");
	ok(count == COUNT && pairs == (uint64) COUNT * (COUNT / contents - 1) / 2,
	   "large sets: the equal ones are pairs");
	JoinEngineFree(&engine);
	JoinRecordsFree(&join.records);
	share = (double) join.host.peak_bytes / join.estimate.limit;
	ok(share <= 1.2, "large sets: of %u tokens they take %.2f of the limit", universe * SIZE,
	   share);
}

/* Appends sets of 20 to 24 tokens, by the order of sizes or not; returns how many fit. */
static uint32
count_fitting(bool sorted, double *share)
{
	enum
	{
		COUNT = 10000,
		FITTING = 2500
	};
	EstimatedJoin join;
	uint32 count = 0;
	bool fits = true;

	random_state = 5;
	begin_join(&join, (Predicate){.measure = MEASURE_JACCARD, .threshold = 0.9}, JOIN_AUTO, 600000,
			   false);
	for (; fits && count < COUNT; count += fits)
	{
		uint32 size = 20 + (sorted ? Min(count * 5 / FITTING, 4) : count % 5);
		int64 tokens[24];

		for (uint32 k = 0; k < size; k++)
			tokens[k] = (int64) k * 200 + random_below(200);
		fits = append(&join, tokens, size);
	}
	*share = end_join(&join);
	return count;
}

/* Of sorted records, one class after another is copied while it is put in order. */
static void
test_sorted(void)
{
	double sorted_share;
	double share;
	uint32 sorted = count_fitting(true, &sorted_share);
	uint32 count = count_fitting(false, &share);

	ok(sorted > count + count / 10 && sorted_share <= 1.2 && share <= 1.2,
	   "%u records fit, and %u of the same sizes that are sorted: %.2f", count, sorted,
	   sorted_share);
}

/* A token of all sets makes one list that is longer than partitions are meant to be. */
static void
test_long_list(JoinAlgorithm algorithm)
{
	EstimatedJoin join;
	double share;
	bool fits = true;

	begin_join(&join, (Predicate){.measure = MEASURE_CONTAINMENT, .threshold = 1}, algorithm,
			   (Size) 16 * 1024 * 1024, false);
	for (int64 i = 0; fits; i++)
	{
		int64 tokens[] = {-1, i % 30000, 100000 + i % 50021, 200000 + i % 40009};

		fits = append(&join, tokens, lengthof(tokens));
	}
	share = end_join(&join);
	ok(share <= 1.2 && share >= 0.4, "a join with a list of all sets takes %.2f of the limit",
	   share);
}

/* An arena is large enough, for a few sets and for many. */
static void
test_arenas(void)
{
	static Set sets[30000];
	double least = 1;
	double greatest = 0;
	bool is_short = false;

	for_each_case (seed, 60, least < 0.2 || greatest > 1 || is_short)
	{
		uint32 count = seed % 20 == 0 ? lengthof(sets) : (uint32) 30 << random_below(7);
		EstimatedJoin join;
		double share;

		make_sets(sets, count, 2000 << random_below(8), seed % 4 == 0,
				  2 + random_below(MAX_SET_SIZE - 1));
		begin_join(&join, predicate_of(seed), seed / 7 % 3 == 2 ? JOIN_PPJOIN : JOIN_AUTO, SIZE_MAX,
				   true);
		for (uint32 i = 0; i < count; i++)
			(void) append(&join, sets[i].tokens, sets[i].size);
		share = end_join(&join);
		is_short |= join.host.arena.is_short;
		greatest = Max(greatest, share);
		if (count == lengthof(sets))
			least = Min(least, share);
	}
	ok(greatest <= 1 && least >= 0.2 && !is_short,
	   "joins with workers take at most %.2f of the arena, many sets %.2f", greatest, least);
}

int
main(void)
{
	test_limits();
	test_large_sets();
	test_sorted();
	test_choice(300, 30, 0.5, JOIN_PPJOIN);
	test_choice(300, 100000, 0.5, JOIN_PPJOIN);
	test_choice(300, 30, 0.8, JOIN_AUTO);
	test_choice(10, 30, 0.5, JOIN_AUTO);
	test_long_list(JOIN_AUTO);
	test_long_list(JOIN_PPJOIN);
	test_arenas();
	return done_testing();
}
