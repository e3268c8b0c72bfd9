/*
 * whole_join.c
 *		A whole join by the kernel, of which only the number of pairs is kept.
 */
#include "c.h"

#include "kernel/lists/list_join.h"
#include "test_host.h"
#include "whole_join.h"

void
count_pair(void *context, const JoinRecord *x, const JoinRecord *y, uint64 overlap)
{
	(*(uint64 *) context)++;
}

Course
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
	JoinCanonicalize(&records);
	course.canonicalize_checks = checks_since_last();
	JoinEngineIndex(&engine, &records, NULL, predicate, algorithm);
	course.index_checks = checks_since_last();
	course.divided = engine.spec.algorithm == JOIN_AUTO &&
					 ListJoinUnits(engine.index) > ((ListIndex *) engine.index)->partitions.count;
	JoinEngineFind(&engine, count_pair, &course.pairs, &course.counters);
	course.probe_checks = checks_since_last();
	JoinEngineFree(&engine);
	JoinRecordsFree(&records);
	return course;
}
