/*
 * workers_test.c
 *		Workers find the pairs that one process finds, and count the same.
 */
#include "c.h"

#include "kernel/lists/list_index.h"
#include "kernel_test.h"
#include "random_sets.h"
#include "test_host.h"

#define MANY 30000

/* A sum over all pairs that does not depend on their order. */
static void
add_to_sum(void *context, const JoinRecord *x, const JoinRecord *y, uint64 overlap)
{
	uint64 pair = (uint64) Min(x->row, y->row) << 32 | Max(x->row, y->row);

	pair = (pair ^ overlap) * UINT64CONST(0x9E3779B97F4A7C15);
	*(uint64 *) context += (pair ^ pair >> 29) * UINT64CONST(0xBF58476D1CE4E5B9);
}

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
	JoinCanonicalize(&records);
	for (int algorithm = JOIN_PPJOIN; algorithm <= JOIN_AUTO; algorithm++)
	{
		JoinEngine engine;
		JoinArena mark = host->arena;

		JoinEngineIndex(&engine, &records, NULL, predicate, algorithm);
		JoinEngineFind(&engine, add_to_sum, &sums->pairs[algorithm], &sums->counters[algorithm]);
		if (engine.spec.algorithm == JOIN_AUTO)
			sums->partitions = ((const ListIndex *) engine.index)->partitions.count;
		JoinEngineFree(&engine);
		host->arena = mark;
	}
	if (host->participants > 1)
		host->participants = 1;
	JoinRecordsFree(&records);
}

static void
canonicalize_sets(const Set *sets, JoinHost *host, JoinRecords *records)
{
	JoinRecordsInit(records, host);
	for (uint32 i = 0; i < MANY; i++)
		JoinRecordsAppend(records, i, sets[i].tokens, sets[i].size);
	JoinCanonicalize(records);
}

/* Sets of one size, in families whose first sets are equal and whose others differ in one token. */
static void
make_families(Set *sets, uint32 families)
{
	enum
	{
		SIZE = 12
	};

	for (uint32 i = 0; i < MANY; i++)
	{
		sets[i].size = SIZE;
		for (uint32 k = 0; k < SIZE; k++)
			sets[i].tokens[k] = (int64) (i % families) * SIZE + k;
		if (i >= MANY / 2)
			sets[i].tokens[i % SIZE] = -(int64) i;
	}
}

/* Puts sets in order by one process and by three. */
static void
test_order_of_records(const Set *sets, const char *what)
{
	JoinHost hosts[2] = {test_host(), test_host_with_workers()};
	JoinRecords alone;
	JoinRecords parallel;
	bool all_work = true;

	canonicalize_sets(sets, &hosts[0], &alone);
	memset(worker_units, 0, sizeof(worker_units));
	canonicalize_sets(sets, &hosts[1], &parallel);
	for (int i = 0; i < TEST_WORKERS; i++)
		all_work &= worker_units[i] > 0;
	ok(all_work && !hosts[1].arena.is_short, "order of %s: workers take part, in the arena", what);
	ok(alone.record_count == parallel.record_count &&
		   memcmp(alone.tokens, parallel.tokens, alone.token_count * sizeof(uint32)) == 0 &&
		   memcmp(alone.records, parallel.records, alone.record_count * sizeof(JoinRecord)) == 0 &&
		   memcmp(alone.repeats, parallel.repeats,
				  JoinRecordsBitmapWords(&alone) * sizeof(uint32)) == 0,
	   "order of %s: with workers, tokens, records and repeats are the same", what);
	JoinRecordsFree(&alone);
	JoinRecordsFree(&parallel);
	ok(hosts[0].bytes == 0 && hosts[1].bytes == 0, "order of %s: memory is given back", what);
}

static void
test_orders(void)
{
	static Set sets[MANY];

	random_state = 78;
	make_sets(sets, MANY, 20000, true, 24);
	test_order_of_records(sets, "many sizes");
	make_families(sets, MANY);
	test_order_of_records(sets, "one size");
	make_families(sets, 50);
	test_order_of_records(sets, "one size in families");
	make_families(sets, 1);
	test_order_of_records(sets, "one size, half of them equal");
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
		ManySums parallel;
		ManySums dismissed;
		JoinHost host = test_host();
		bool all_work = true;

		join_many(sets, first_right, &host, &alone);
		ok(alone.partitions > 2 && alone.pairs[JOIN_PPJOIN] != 0,
		   "many records: there are several partitions");
		ok(alone.pairs[JOIN_PPJOIN] == alone.pairs[JOIN_PPJOIN_PLUS] &&
			   alone.pairs[JOIN_PPJOIN] == alone.pairs[JOIN_AUTO],
		   "many records: all algorithms find the same");

		host = test_host_with_workers();
		memset(worker_units, 0, sizeof(worker_units));
		join_many(sets, first_right, &host, &parallel);
		for (int i = 0; i < TEST_WORKERS; i++)
			all_work &= worker_units[i] > 64;
		ok(all_work && memcmp(alone.pairs, parallel.pairs, sizeof(alone.pairs)) == 0 &&
			   memcmp(alone.counters, parallel.counters, sizeof(alone.counters)) == 0,
		   "many records: with workers the same pairs are found, and the same counted");

		memset(worker_units, 0, sizeof(worker_units));
		join_many(sets, first_right, &host, &dismissed);
		ok(worker_units[0] == 0 && host.bytes == 0 &&
			   memcmp(alone.pairs, dismissed.pairs, sizeof(alone.pairs)) == 0,
		   "many records: when workers were dismissed, a join takes its own memory and gives it "
		   "back");

		/* Room for the records, and for a part of them only. */
		for (Size arena_size = (Size) 1 << 23; arena_size > 1 << 19; arena_size /= 4)
		{
			host = test_host_with_workers();
			host.arena.size = arena_size;
			join_many(sets, first_right, &host, &parallel);
			ok(memcmp(alone.pairs, parallel.pairs, sizeof(alone.pairs)) == 0,
			   "many records: the same pairs where the arena is too small");
		}
	}
}

int
main(void)
{
	test_orders();
	test_many_records();
	return done_testing();
}
