/*
 * return_pairs.c
 *		Running a join function.
 */
#include "postgres.h"

#include "join/results/pair_store.h"
#include "join/results/return_pairs.h"

typedef struct ReturnedPairs
{
	const JoinRequest *request;
	ValueColumn value_column;
	SimilarityJoin join;
	PairStore store;
} ReturnedPairs;

Datum
Float8ValueColumn(const JoinRequest *request, double value)
{
	return Float8GetDatum(value);
}

Datum
Int4ValueColumn(const JoinRequest *request, double value)
{
	return Int32GetDatum((int32) value);
}

static uint64
store_pair(void *context, const FoundPair *pair)
{
	ReturnedPairs *returned = context;
	const JoinRequest *request = returned->request;

	PairStorePut(&returned->store, QueryJoinKey(&returned->join, request, pair->a),
				 QueryJoinKey(&returned->join, request, pair->b),
				 returned->value_column(request, pair->value));
	return 1;
}

Datum
JoinReturnPairs(FunctionCallInfo fcinfo, const JoinRequest *request, ValueColumn value_column)
{
	ReturnedPairs returned = {.request = request, .value_column = value_column};
	bool counts_only;

	PairStoreBegin(&returned.store, fcinfo);
	counts_only = PairStoreCountsOnly(&returned.store);
	QueryJoinBegin(&returned.join, request);
	QueryJoinPairs(&returned.join, request->task.predicate, counts_only ? NULL : store_pair,
				   &returned);
	SimilarityJoinEnd(&returned.join);
	if (counts_only)
		returned.store.rows->count = returned.join.pair_count;
	PairStoreEnd(&returned.store);
	return (Datum) 0;
}
