/*
 * ppjoin.c
 *		The set-returning functions of the exact join.
 *
 * ppjoin, its _keyed form and ppjoin_stats are one course of events: read the
 * queries, canonicalize, index, probe. They differ in what becomes of a
 * pair: a row of a tuplestore, which spills to disk, so that memory does not grow
 * with the number of pairs; or a count.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "executor/tuptable.h"
#include "funcapi.h"
#include "miscadmin.h"

#include "join/call.h"
#include "join/similarity_join.h"
#include "measure/threshold.h"

PG_FUNCTION_INFO_V1(ppjoin);
PG_FUNCTION_INFO_V1(ppjoin_rs);
PG_FUNCTION_INFO_V1(ppjoin_keyed);
PG_FUNCTION_INFO_V1(ppjoin_keyed_rs);
PG_FUNCTION_INFO_V1(ppjoin_stats);
PG_FUNCTION_INFO_V1(ppjoin_stats_rs);

static JoinAlgorithm
algorithm_or_error(const char *name)
{
	if (strcmp(name, "allpairs") == 0)
		return JOIN_ALLPAIRS;
	if (strcmp(name, "ppjoin") == 0)
		return JOIN_PPJOIN;
	if (strcmp(name, "ppjoin+") == 0)
		return JOIN_PPJOIN_PLUS;
	if (strcmp(name, "auto") == 0)
		return JOIN_AUTO;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("unrecognized join algorithm \"%s\"", name),
					errhint("The algorithms are auto, allpairs, ppjoin and ppjoin+.")));
}

/* Arguments from the first query on: query [, query], threshold, measure, algorithm. */
static JoinRequest
join_request(FunctionCallInfo fcinfo, int first, bool two_sided, KeyPolicy key_policy)
{
	JoinRequest request = {.function = JoinFunctionName(fcinfo),
						   .reader = {.key_policy = key_policy}};
	Measure measure;
	int next = first;

	request.queries[0] = JoinTextArgumentOrError(fcinfo, next++, "query");
	if (two_sided)
		request.queries[1] = JoinTextArgumentOrError(fcinfo, next++, "query");
	measure = MeasureOrError(JoinTextArgumentOrError(fcinfo, next + 1, "measure"));
	request.predicate =
		PredicateOrError(measure, DatumGetFloat8(JoinArgumentOrError(fcinfo, next, "threshold")));
	request.algorithm = algorithm_or_error(JoinTextArgumentOrError(fcinfo, next + 2, "algorithm"));

	request.reader.keys_are_compared = !two_sided;
	request.reader.tokenset_type = JoinTokensetType(fcinfo);
	if (key_policy == KEYS_OF_TYPE)
		request.reader.key_type = JoinKeyTypeOrError(fcinfo);
	return request;
}

/* Rows of the result, in a tuplestore. */
typedef struct PairStore
{
	Tuplestorestate *store;
	TupleDesc columns;
	/* Where all columns are of 8 bytes: a row to copy, and its values. */
	TupleTableSlot *slot;
	char *values;
} PairStore;

static void
store_pair(void *context, Datum a, Datum b, double value)
{
	PairStore *pairs = context;
	Datum values[3] = {a, b, Float8GetDatum(value)};
	bool nulls[3] = {false, false, false};

	/* The kernel counts pairs as if each took no time; one of long keys does. */
	CHECK_FOR_INTERRUPTS();
	tuplestore_putvalues(pairs->store, pairs->columns, values, nulls);
}

/* As store_pair, but a row is not formed column by column, which takes longer than to copy one. */
static void
store_integer_pair(void *context, Datum a, Datum b, double value)
{
	PairStore *pairs = context;
	int64 keys[2] = {DatumGetInt64(a), DatumGetInt64(b)};

	memcpy(pairs->values, keys, sizeof(keys));
	memcpy(pairs->values + sizeof(keys), &value, sizeof(value));
	tuplestore_puttupleslot(pairs->store, pairs->slot);
}

/* The row that store_integer_pair copies: bigint, bigint, double precision. */
static void
prepare_integer_pairs(PairStore *pairs)
{
	Datum values[3] = {Int64GetDatum(0), Int64GetDatum(0), Float8GetDatum(0)};
	bool nulls[3] = {false, false, false};
	MinimalTuple row = heap_form_minimal_tuple(pairs->columns, values, nulls);

	pairs->slot = MakeSingleTupleTableSlot(pairs->columns, &TTSOpsMinimalTuple);
	ExecStoreMinimalTuple(row, pairs->slot, true);
	pairs->values = (char *) row + row->t_hoff - MINIMAL_TUPLE_OFFSET;
	Assert(row->t_len == pairs->values - (char *) row + sizeof(int64) * 2 + sizeof(double));
}

static Datum
return_pairs(FunctionCallInfo fcinfo, JoinRequest request)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	bool integers = request.reader.key_policy == KEYS_INTEGER;
	PairStore pairs = {0};
	SimilarityJoin join;

	InitMaterializedSRF(fcinfo, 0);
	pairs.store = result->setResult;
	pairs.columns = result->setDesc;
	if (integers)
		prepare_integer_pairs(&pairs);
	SimilarityJoinBegin(&join, &request);
	SimilarityJoinPairs(&join, request.predicate, integers ? store_integer_pair : store_pair,
						&pairs);
	SimilarityJoinEnd(&join);
	if (integers)
		ExecDropSingleTupleTableSlot(pairs.slot);
	return (Datum) 0;
}

static Datum
return_stats(FunctionCallInfo fcinfo, JoinRequest request)
{
	enum
	{
		COLUMNS = 17
	};
	Datum values[COLUMNS];
	bool nulls[COLUMNS] = {false};
	TupleDesc descriptor;
	SimilarityJoin join;
	int i = 0;

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	SimilarityJoinBegin(&join, &request);
	SimilarityJoinPairs(&join, request.predicate, NULL, NULL);
	SimilarityJoinEnd(&join);

	values[i++] = Int64GetDatum(join.row_count);
	values[i++] = Int64GetDatum(join.token_count);
	values[i++] = Int64GetDatum(join.distinct_tokens);
	values[i++] = Int64GetDatum(join.posting_count);
	values[i++] = Int64GetDatum(join.counters.candidates);
	values[i++] = Int64GetDatum(join.counters.pruned_by_position);
	values[i++] = Int64GetDatum(join.counters.pruned_by_suffix);
	values[i++] = Int64GetDatum(join.counters.pruned_by_bitmap);
	values[i++] = Int64GetDatum(join.pair_count);
	values[i++] = Int32GetDatum(join.crew.probing_workers);
	values[i++] = Int64GetDatum(join.memory_bytes + join.crew.bytes);
	values[i++] = Int64GetDatum(join.temp_bytes);
	values[i++] = Float8GetDatum(join.seconds.read);
	values[i++] = Float8GetDatum(join.seconds.canonicalize);
	values[i++] = Float8GetDatum(join.seconds.index);
	values[i++] = Float8GetDatum(join.seconds.probe);
	values[i++] = Float8GetDatum(join.seconds.total);
	Assert(i == COLUMNS);

	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls));
}

Datum
ppjoin(PG_FUNCTION_ARGS)
{
	return return_pairs(fcinfo, join_request(fcinfo, 0, false, KEYS_INTEGER));
}

Datum
ppjoin_rs(PG_FUNCTION_ARGS)
{
	return return_pairs(fcinfo, join_request(fcinfo, 0, true, KEYS_INTEGER));
}

Datum
ppjoin_keyed(PG_FUNCTION_ARGS)
{
	return return_pairs(fcinfo, join_request(fcinfo, 1, false, KEYS_OF_TYPE));
}

Datum
ppjoin_keyed_rs(PG_FUNCTION_ARGS)
{
	return return_pairs(fcinfo, join_request(fcinfo, 1, true, KEYS_OF_TYPE));
}

Datum
ppjoin_stats(PG_FUNCTION_ARGS)
{
	return return_stats(fcinfo, join_request(fcinfo, 0, false, KEYS_SORTABLE));
}

Datum
ppjoin_stats_rs(PG_FUNCTION_ARGS)
{
	return return_stats(fcinfo, join_request(fcinfo, 0, true, KEYS_SORTABLE));
}
