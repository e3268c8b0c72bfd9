/*
 * pair_store.c
 *		Storing pairs.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "join/results/pair_store.h"
#include "join/results/result_set.h"

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

/* To copy a row is faster than to form one; its Datums follow the header. */
static void
prepare_row(PairStore *store)
{
	Datum values[PAIR_COLUMNS] = {0};
	bool nulls[PAIR_COLUMNS] = {false};
	MinimalTuple row = nd_heap_form_minimal_tuple(store->columns, values, nulls);

	store->slot = MakeSingleTupleTableSlot(store->columns, &TTSOpsMinimalTuple);
	ExecStoreMinimalTuple(row, store->slot, true);
	store->values = (Datum *) ((char *) row + row->t_hoff - MINIMAL_TUPLE_OFFSET);
	Assert(row->t_len == (char *) (store->values + PAIR_COLUMNS) - (char *) row);
}

void
PairStoreBegin(PairStore *store, FunctionCallInfo fcinfo)
{
	ReturnSetInfo *result;

	memset(store, 0, sizeof(*store));
	store->rows = PairRowsOfCall(fcinfo->resultinfo);
	if (store->rows != NULL)
	{
		PairRowsLimit(store->rows, JoinStoreMemory());
		return;
	}
	result = JoinMaterialize(fcinfo);
	store->tuplestore = result->setResult;
	store->columns = result->setDesc;
	Assert(store->columns->natts == PAIR_COLUMNS);
	if (are_words(store->columns))
		prepare_row(store);
}

void
PairStorePut(PairStore *store, Datum a, Datum b, Datum value)
{
	if (store->rows != NULL)
		PairRowsPut(store->rows, a, b, value);
	else if (store->slot != NULL)
	{
		store->values[0] = a;
		store->values[1] = b;
		store->values[2] = value;
		tuplestore_puttupleslot(store->tuplestore, store->slot);
	}
	else
	{
		Datum values[PAIR_COLUMNS] = {a, b, value};
		bool nulls[PAIR_COLUMNS] = {false};

		/* Long keys take time that the kernel does not count. */
		CHECK_FOR_INTERRUPTS();
		tuplestore_putvalues(store->tuplestore, store->columns, values, nulls);
	}
}

void
PairStoreEnd(PairStore *store)
{
	if (store->slot != NULL)
		ExecDropSingleTupleTableSlot(store->slot);
}
