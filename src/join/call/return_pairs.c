/*
 * return_pairs.c
 *		Running a join function and storing its pairs.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "join/call/result_set.h"
#include "join/call/return_pairs.h"

#define PAIR_COLUMNS 3 /* two keys and a value */

typedef struct ReturnedPairs
{
	const JoinRequest *request;
	ValueColumn value_column;
	SimilarityJoin join;

	Tuplestorestate *tuplestore;
	TupleDesc columns;
	TupleTableSlot *slot; /* slot of the tuplestore, if all columns are 8 bytes by value */
	Datum *values;		  /* values of the slot */
} ReturnedPairs;

Datum
Float8ValueColumn(const SimilarityJoin *join, const double *value)
{
	return nd_float8_datum(value);
}

Datum
Int4ValueColumn(const SimilarityJoin *join, const double *value)
{
	return Int32GetDatum((int32) *value);
}

static bool
are_words(TupleDesc columns)
{
	for (int i = 0; i < columns->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(columns, i);

		if (!column->attbyval || column->attlen != sizeof(Datum))
			return false;
	}
	return true;
}

/*
 * Forms one tuple, whose columns each pair overwrites: to copy a tuple is faster than to form one.
 * Its Datums follow the header.
 */
static void
form_tuple_of_words(ReturnedPairs *returned)
{
	Datum values[PAIR_COLUMNS] = {0};
	bool nulls[PAIR_COLUMNS] = {false};
	MinimalTuple tuple = nd_heap_form_minimal_tuple(returned->columns, values, nulls);

	returned->slot = MakeSingleTupleTableSlot(returned->columns, &TTSOpsMinimalTuple);
	ExecStoreMinimalTuple(tuple, returned->slot, true);
	returned->values = (Datum *) ((char *) tuple + tuple->t_hoff - MINIMAL_TUPLE_OFFSET);
	Assert(tuple->t_len == (char *) (returned->values + PAIR_COLUMNS) - (char *) tuple);
}

static void
begin_store(ReturnedPairs *returned, FunctionCallInfo fcinfo)
{
	ReturnSetInfo *result = JoinMaterialize(fcinfo);

	returned->tuplestore = result->setResult;
	returned->columns = result->setDesc;
	Assert(returned->columns->natts == PAIR_COLUMNS);
	if (are_words(returned->columns))
		form_tuple_of_words(returned);
}

static uint64
return_pair(void *context, const FoundPair *pair)
{
	ReturnedPairs *returned = context;
	const JoinRequest *request = returned->request;
	Datum values[PAIR_COLUMNS] = {QueryJoinKey(&returned->join, request, pair->a),
								  QueryJoinKey(&returned->join, request, pair->b),
								  returned->value_column(&returned->join, &pair->value)};

	if (returned->slot != NULL)
	{
		memcpy(returned->values, values, sizeof(values));
		tuplestore_puttupleslot(returned->tuplestore, returned->slot);
	}
	else
	{
		bool nulls[PAIR_COLUMNS] = {false};

		/* Long keys take time that the kernel does not count. */
		CHECK_FOR_INTERRUPTS();
		tuplestore_putvalues(returned->tuplestore, returned->columns, values, nulls);
	}
	return 1;
}

Datum
JoinReturnPairs(FunctionCallInfo fcinfo, const JoinRequest *request, ValueColumn value_column)
{
	ReturnedPairs returned = {.request = request, .value_column = value_column};

	begin_store(&returned, fcinfo);
	QueryJoinBegin(&returned.join, request);
	QueryJoinPairs(&returned.join, request->task.predicate, return_pair, &returned);
	SimilarityJoinEnd(&returned.join);
	if (returned.slot != NULL)
		ExecDropSingleTupleTableSlot(returned.slot);
	return (Datum) 0;
}
