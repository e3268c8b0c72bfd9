/*
 * track_components.c
 *		The set-returning function neardup_components: the clusters of the rows of a query.
 *
 * It takes the place of cluster_pairs over the pairs of a join, since the pairs within a large
 * family of similar rows are far more than those that connect it (cluster_join.h).
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "allocate.h"
#include "cluster/cluster_join.h"
#include "join/call/arguments.h"
#include "join/call/result_set.h"
#include "join/call/set_groups.h"
#include "kinds/sets/set_rows.h"
#include "measure/threshold.h"

PG_FUNCTION_INFO_V1(neardup_components);

/* Arguments: query, threshold. */
static JoinRequest
components_request(FunctionCallInfo fcinfo)
{
	JoinRequest request = {.queries[0] = JoinTextArgumentOrError(fcinfo, 0, "query")};
	double threshold = DatumGetFloat8(JoinArgumentOrError(fcinfo, 1, "threshold"));

	request.task.name = JoinFunctionName(fcinfo);
	request.task.kind = &set_rows;
	request.task.predicate = PredicateOrError(MEASURE_JACCARD, threshold);
	request.task.algorithm = JOIN_AUTO;
	request.task.may_share = true;
	request.reader.key_policy = KEYS_INTEGER;
	request.reader.schema = JoinSchema(fcinfo);
	return request;
}

/* Returns a row for each key: the key, and the least key of its component. `sets` are of groups. */
static void
return_components(ReturnSetInfo *result, const CallRows *rows, UnionFind *sets)
{
	uint32 *first = AllocateArray(sets->count, sizeof(uint32));

	UnionFindFirsts(sets, rows->numbers, first);
	for (uint32 group = 0; group < sets->count; group++)
	{
		const uint32 *members = CallRowsMembers(rows, group);

		for (uint32 i = 0; i < CallRowsGroupSize(rows, group); i++)
		{
			/* Rows without tokens are similar to none. */
			bool is_alone = rows->numbers[group] == rows->empty;
			uint32 named = is_alone ? members[i] : *CallRowsMembers(rows, first[group]);
			Datum values[2] = {CallRowsKey(rows, members[i]), CallRowsKey(rows, named)};

			ResultPut(result, values);
		}
	}
}

Datum
neardup_components(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = JoinMaterialize(fcinfo);
	JoinRequest request = components_request(fcinfo);
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup components", ALLOCSET_DEFAULT_SIZES);
	MemoryContext previous = MemoryContextSwitchTo(context);
	SimilarityJoin join;
	CallRows rows;
	UnionFind sets;

	SetGroupsRead(&rows, &join, &request);
	UnionFindInit(&sets, rows.group_count);
	while (sets.count < rows.group_count)
	{
		CHECK_FOR_INTERRUPTS();
		UnionFindAdd(&sets);
	}
	ClusterJoinUnite(&(JoinPasses){.join = &join, .task = &request.task}, &sets);
	SimilarityJoinEnd(&join);
	return_components(result, &rows, &sets);
	MemoryContextSwitchTo(previous);
	MemoryContextDelete(context);
	return (Datum) 0;
}
