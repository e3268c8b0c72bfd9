/*
 * row_values.c
 *		Values of rows in a tuple store.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"

#include "compat.h"
#include "join/call/row_values.h"
#include "memory/join_memory.h"

/* The part of the memory of a join that the values take before they go to a file. */
#define PART_OF_VALUES 16

void
RowValuesBegin(RowValues *values, int count, Oid type)
{
	values->columns = CreateTemplateTupleDesc(count);
	for (int i = 0; i < count; i++)
		TupleDescInitEntry(values->columns, (AttrNumber) (i + 1), NULL, type, -1, 0);
	nd_finish_tuple_desc(values->columns);
	values->store =
		tuplestore_begin_heap(false, false, (int) (JoinMemory() / 1024 / PART_OF_VALUES));
	values->slot = MakeSingleTupleTableSlot(values->columns, &TTSOpsMinimalTuple);
}

void
RowValuesPut(RowValues *values, Datum *columns, bool *nulls)
{
	tuplestore_putvalues(values->store, values->columns, columns, nulls);
}

void
RowValuesRewind(RowValues *values)
{
	/* The slot may have a row in a context that is reset by now. */
	ExecClearTuple(values->slot);
	tuplestore_rescan(values->store);
}

bool
RowValuesNext(RowValues *values)
{
	CHECK_FOR_INTERRUPTS();
	if (!tuplestore_gettupleslot(values->store, true, false, values->slot))
		return false;
	slot_getallattrs(values->slot);
	return true;
}

void
RowValuesEnd(RowValues *values)
{
	ExecDropSingleTupleTableSlot(values->slot);
	tuplestore_end(values->store);
}
