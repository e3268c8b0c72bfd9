/*
 * query_join.c
 *		Running a join of queries.
 */
#include "postgres.h"

#include "join/query_join.h"

void
QueryJoinBegin(SimilarityJoin *join, const JoinRequest *request)
{
	SimilarityJoinBegin(join, &request->task, CurrentMemoryContext);
	JoinReadQuery(&join->input, &request->reader, request->queries[0]);
	if (request->queries[1] != NULL)
	{
		JoinInputBeginRight(&join->input);
		JoinReadQuery(&join->input, &request->reader, request->queries[1]);
	}
	SimilarityJoinRead(join);
}

void
QueryJoinPairs(SimilarityJoin *join, Predicate predicate, TakePair take, void *take_context)
{
	SimilarityJoinFind(join, predicate, take, take_context);
	while (SimilarityJoinNext(join))
		;
}
