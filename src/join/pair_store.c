/*
 * pair_store.c
 *		The pairs of a join as rows of a tuplestore.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "executor/tuptable.h"
#include "miscadmin.h"

#include "join/pair_store.h"

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

Datum
JoinReturnPairs(FunctionCallInfo fcinfo, const JoinRequest *request)
{
	ReturnSetInfo *result = JoinMaterialize(fcinfo);
	bool integers = request->reader.key_policy == KEYS_INTEGER;
	PairStore pairs = {0};
	SimilarityJoin join;

	pairs.store = result->setResult;
	pairs.columns = result->setDesc;
	if (integers)
		prepare_integer_pairs(&pairs);
	SimilarityJoinBegin(&join, request);
	SimilarityJoinPairs(&join, request->predicate, integers ? store_integer_pair : store_pair,
						&pairs);
	SimilarityJoinEnd(&join);
	if (integers)
		ExecDropSingleTupleTableSlot(pairs.slot);
	return (Datum) 0;
}
