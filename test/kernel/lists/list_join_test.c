/*
 * list_join_test.c
 *		The join list by list: long lists.
 */
#include "c.h"

#include "kernel_test.h"
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

int
main(void)
{
	test_long_window();
	return done_testing();
}
