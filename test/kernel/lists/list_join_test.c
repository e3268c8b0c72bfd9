/*
 * list_join_test.c
 *		The join list by list: long lists.
 */
#include "c.h"

#include <setjmp.h>

#include "port/pg_bitutils.h"

#include "kernel/lists/list_entries.h"
#include "kernel_test.h"
#include "measure/token_weight.h"
#include "random_sets.h"
#include "test_host.h"
#include "whole_join.h"

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
	for (int parallel = 0; parallel < 2; parallel++)
	{
		Course course =
			run_course(parallel ? test_host_with_workers() : test_host(), sets, sizes, COUNT,
					   (Predicate){.measure = MEASURE_JACCARD, .threshold = 0.5}, JOIN_AUTO);

		ok(course.pairs == (uint64) COUNT * (COUNT - 1) / 2 && course.divided == parallel,
		   "long window: no entry is left out, by one process and where the list is divided");
	}
}

enum
{
	LONG_LIST_SETS = 2500,
	LONG_LIST_UNIVERSE = 40
};

/* Returns the weights of some tokens, or the squares; their number if the measure has none. */
static int64
sum_of_terms(uint64 tokens, const int64 *terms)
{
	int64 sum = 0;

	for (; tokens != 0; tokens &= tokens - 1)
		sum += terms[pg_rightmost_one_pos64(tokens)];
	return sum;
}

static void
make_terms(Measure measure, const uint64 *masks, int64 *terms)
{
	for (int token = 0; token < LONG_LIST_UNIVERSE; token++)
	{
		uint32 frequency = 0;

		for (int i = 0; i < LONG_LIST_SETS; i++)
			frequency += masks[i] >> token & 1;
		terms[token] = MeasureIsWeighted(measure)
						   ? TokenWeightTerm(TokenWeight(LONG_LIST_SETS, frequency),
											 measure == MEASURE_IDF_COSINE)
						   : 1;
	}
}

static uint64
count_by_brute_force(Predicate predicate, const uint64 *masks, uint32 first_right)
{
	static int64 totals[LONG_LIST_SETS];
	int64 terms[LONG_LIST_UNIVERSE];
	uint64 pairs = 0;

	make_terms(predicate.measure, masks, terms);
	for (uint32 x = 0; x < LONG_LIST_SETS; x++)
		totals[x] = sum_of_terms(masks[x], terms);
	for (uint32 x = 0; x < LONG_LIST_SETS; x++)
	{
		for (uint32 y = Max(x + 1, first_right); y < LONG_LIST_SETS; y++)
		{
			uint64 common = masks[x] & masks[y];
			int64 overlap = MeasureIsWeighted(predicate.measure) ? sum_of_terms(common, terms)
																 : __builtin_popcountll(common);

			if (first_right == 0 || x < first_right)
				pairs += PredicateHolds(predicate, overlap, totals[x], totals[y]);
		}
	}
	return pairs;
}

static uint64
count_by_join(JoinHost host, Predicate predicate, const Set *sets, uint32 first_right)
{
	JoinRecords records;
	JoinEngine engine;
	JoinCounters counters = {0};
	uint64 pairs = 0;

	JoinRecordsInit(&records, &host);
	records.weighing = (JoinWeighing){.is_weighted = MeasureIsWeighted(predicate.measure),
									  .squares = predicate.measure == MEASURE_IDF_COSINE,
									  .record_count = LONG_LIST_SETS};
	for (uint32 i = 0; i < LONG_LIST_SETS; i++)
		JoinRecordsAppend(&records, i, sets[i].tokens, sets[i].size);
	records.two_sided = first_right > 0;
	if (first_right > 0)
		records.first_right_row = first_right;
	JoinCanonicalize(&records);
	JoinEngineIndex(&engine, &records, NULL, predicate, JOIN_AUTO);
	JoinEngineFind(&engine, count_pair, &pairs, &counters);
	JoinEngineFree(&engine);
	JoinRecordsFree(&records);
	return pairs;
}

/* Makes sets of few tokens, so that lists are long, and of very different sizes. */
static void
make_long_list_sets(Set *sets, uint64 *masks)
{
	memset(sets, 0, LONG_LIST_SETS * sizeof(Set));
	for (uint32 i = 0; i < LONG_LIST_SETS; i++)
	{
		masks[i] = 0;
		for (uint32 k = 1 + random_below(LONG_LIST_UNIVERSE); k > 0; k--)
			masks[i] |= UINT64CONST(1) << random_below(LONG_LIST_UNIVERSE);
		for (int64 token = 0; token < LONG_LIST_UNIVERSE; token++)
		{
			if (masks[i] >> token & 1)
				sets[i].tokens[sets[i].size++] = token;
		}
	}
}

/* Lists of many entries at all positions have all pairs, by any measure. */
static void
test_long_lists(void)
{
	static const Predicate predicates[] = {{.measure = MEASURE_JACCARD, .threshold = 0.5},
										   {.measure = MEASURE_JACCARD, .threshold = 0.7},
										   {.measure = MEASURE_COSINE, .threshold = 0.75},
										   {.measure = MEASURE_OVERLAP, .threshold = 15},
										   {.measure = MEASURE_HAMMING, .threshold = 8},
										   {.measure = MEASURE_CONTAINMENT, .threshold = 0.9},
										   {.measure = MEASURE_IDF_JACCARD, .threshold = 0.6},
										   {.measure = MEASURE_IDF_COSINE, .threshold = 0.8}};
	static Set sets[LONG_LIST_SETS];
	static uint64 masks[LONG_LIST_SETS];
	uint32 wrong = 0;
	uint64 pairs = 0;

	for_each_case (seed, lengthof(predicates), wrong)
	{
		Predicate predicate = predicates[seed % lengthof(predicates)];
		bool directed = MeasureIsDirected(predicate.measure);

		case_has("%d sets, %s %g", LONG_LIST_SETS, MeasureName(predicate.measure),
				 predicate.threshold);
		make_long_list_sets(sets, masks);
		for (uint32 first_right = directed ? 400 : 0; first_right <= 400; first_right += 400)
		{
			uint64 expected = count_by_brute_force(predicate, masks, first_right);

			wrong += count_by_join(test_host(), predicate, sets, first_right) != expected;
			wrong +=
				count_by_join(test_host_with_workers(), predicate, sets, first_right) != expected;
			pairs += expected;
		}
	}
	ok(wrong == 0 && enough(pairs > 5000), "long lists: all pairs, of any measure");
}

static jmp_buf refused;
static Size refused_size;

static void *
refuse(void *unused_context, Size size)
{
	refused_size = size;
	longjmp(refused, 1);
}

/* Returns the bytes that the host is asked for first, where a partition has this many entries. */
static Size
bytes_asked_for(uint64 entries)
{
	JoinHost host = {.allocate = refuse};
	JoinRecords records = {.host = &host};
	JoinSpec spec = {.records = &records};
	ListIndex index = {.spec = &spec};
	ListEntries list;

	if (setjmp(refused) == 0)
		ListEntriesInit(&list, &index, entries);
	return refused_size;
}

/*
 * Entries of a partition, and the spare ones behind them, are numbered by 32 bits. Where sizes have 32
 * bits too, fewer entries are refused already.
 */
static void
test_most_entries(void)
{
	ok(bytes_asked_for(LIST_MOST_ENTRIES) ==
			   Min(LIST_MOST_ENTRIES * sizeof(ListEntry), (uint64) SIZE_MAX) &&
		   LIST_MOST_ENTRIES + JOIN_MAX_RECORDS <= PG_UINT32_MAX,
	   "a partition of the most entries and spare ones can be numbered");
	ok(bytes_asked_for(LIST_MOST_ENTRIES + 1) == SIZE_MAX, "more entries are refused by the host");
}

int
main(void)
{
	test_most_entries();
	test_long_window();
	test_long_lists();
	return done_testing();
}
