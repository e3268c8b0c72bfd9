/*
 * arrival_order_test.c
 *		No counter depends on the order in which records arrive.
 */
#include "c.h"

#include "kernel_test.h"
#include "test_host.h"
#include "whole_join.h"

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

int
main(void)
{
	test_order_of_arrival(JOIN_PPJOIN_PLUS);
	test_order_of_arrival(JOIN_AUTO);
	return done_testing();
}
