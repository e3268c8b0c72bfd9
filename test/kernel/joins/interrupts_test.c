/*
 * interrupts_test.c
 *		What is done with many tokens, or with many records, counts as work.
 */
#include "c.h"

#include "kernel/filters/repeat_join.h"
#include "kernel_test.h"
#include "random_sets.h"
#include "test_host.h"
#include "whole_join.h"

/* Sets of which one alone is the work between two checks. */
static void
test_interrupts(void)
{
	const uint32 size = 1 << 20;
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

		ok(course.pairs == 1 && course.append_checks >= 2 && course.canonicalize_checks >= 2 &&
			   course.index_checks >= 2 && course.probe_checks >= 1,
		   "interrupts: each huge set is followed by a check in every phase");
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

/* Equal sets, which are pairs of one loop. */
static void
test_interrupts_of_repeats(void)
{
	enum
	{
		COUNT = 2000
	};
	const int64 token = 1;
	JoinHost host = test_host();
	JoinRecords records;
	JoinEngine engine;
	uint64 pairs = 0;

	JoinRecordsInit(&records, &host);
	for (uint32 i = 0; i < COUNT; i++)
		JoinRecordsAppend(&records, i, &token, 1);
	JoinCanonicalize(&records);
	JoinEngineIndex(&engine, &records, NULL,
					(Predicate){.measure = MEASURE_JACCARD, .threshold = 0.5}, JOIN_AUTO);
	checks_since_last();
	RepeatJoin(&engine.spec, 0, COUNT, false, count_pair, &pairs);
	ok(checks_since_last() >= pairs / JOIN_WORK_BETWEEN_CHECKS && pairs == COUNT * (COUNT - 1) / 2,
	   "interrupts: between equal sets");
	JoinEngineFree(&engine);
	JoinRecordsFree(&records);
}

int
main(void)
{
	test_interrupts();
	test_interrupts_of_collisions();
	test_interrupts_of_repeats();
	return done_testing();
}
