/*
 * repeats_test.c
 *		Many equal or near sets on one side of an R-S join.
 */
#include "c.h"

#include "kernel_test.h"
#include "test_host.h"
#include "whole_join.h"

#define ROWS 100000

/* Returns the work in ticks. */
static uint64
join_rows(uint32 first_right, JoinAlgorithm algorithm, bool near, uint64 *pairs)
{
	const Predicate predicate = {.measure = MEASURE_JACCARD, .threshold = 0.3};
	const BucketSpec buckets = {.bands = 20, .rows = 1, .seed = 1};
	JoinHost host = test_host();
	JoinCounters counters = {0};
	JoinRecords records;
	JoinEngine engine;

	JoinRecordsInit(&records, &host);
	records.buckets = algorithm == JOIN_BUCKETS ? &buckets : NULL;
	records.two_sided = true;
	records.first_right_row = first_right;
	for (uint32 row = 0; row < ROWS; row++)
	{
		int64 set[] = {1, near ? 2 + row % 2 : 2};

		JoinRecordsAppend(&records, row, set, lengthof(set));
	}
	(void) checks_since_last();
	JoinCanonicalize(&records);
	JoinEngineIndex(&engine, &records, NULL, predicate, algorithm);
	JoinEngineFind(&engine, count_pair, pairs, &counters);
	JoinEngineFree(&engine);
	JoinRecordsFree(&records);
	return checks_since_last() * JOIN_WORK_BETWEEN_CHECKS;
}

int
main(void)
{
	const JoinAlgorithm algorithms[] = {JOIN_AUTO, JOIN_BUCKETS};
	const uint64 linear = (uint64) ROWS * 400;
	bool cheap = true;
	bool right = true;

	for (int variant = 0; variant < 8; variant++)
	{
		uint32 first_right = variant / 4 == 1 ? 1 : ROWS - 1;
		bool near = variant / 2 % 2 == 1;
		uint64 pairs = 0;

		cheap = cheap && join_rows(first_right, algorithms[variant % 2], near, &pairs) < linear;
		right = right && pairs == ROWS - 1;
	}
	ok(cheap, "many equal or near sets on one side cost linear work");
	ok(right, "and with one on the other side they are pairs");
	return done_testing();
}
