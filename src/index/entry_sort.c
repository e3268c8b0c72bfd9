/*
 * entry_sort.c
 *		Sorting the entries of dictionaries, in temporary files if they are many.
 *
 * PostgreSQL's sort of tuples does the work: two columns of type bigint are the keys, and a third
 * one of type bytea holds the entry.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_operator_d.h"
#include "catalog/pg_type_d.h"
#include "executor/tuptable.h"
#include "utils/builtins.h"

#include "compat.h"
#include "index/entry_sort.h"
#include "index/format.h"

/* Toggling this bit makes the order of bigint that of unsigned numbers. */
#define SIGN_BIT (UINT64CONST(1) << 63)

void
EntrySortBegin(EntrySort *sort, int memory)
{
	AttrNumber columns[2] = {1, 2};
	Oid operators[2] = {Int8LessOperator, Int8LessOperator};
	Oid collations[2] = {InvalidOid, InvalidOid};
	bool nulls_first[2] = {false, false};

	sort->columns = CreateTemplateTupleDesc(3);
	TupleDescInitEntry(sort->columns, 1, "count", INT8OID, -1, 0);
	TupleDescInitEntry(sort->columns, 2, "hash", INT8OID, -1, 0);
	TupleDescInitEntry(sort->columns, 3, "entries", BYTEAOID, -1, 0);
	nd_finish_tuple_desc(sort->columns);
	sort->slot = MakeSingleTupleTableSlot(sort->columns, &TTSOpsMinimalTuple);
	sort->sort = tuplesort_begin_heap(sort->columns, 2, columns, operators, collations, nulls_first,
									  memory, NULL, TUPLESORT_NONE);
}

void
EntrySortPut(EntrySort *sort, uint64 count, Token token, const void *bytes, Size size)
{
	bytea *value = palloc(VARHDRSZ + size);
	Datum values[3] = {Int64GetDatum((int64) count),
					   Int64GetDatum((int64) (IndexTokenHash(token) ^ SIGN_BIT)),
					   PointerGetDatum(value)};
	bool nulls[3] = {false, false, false};

	SET_VARSIZE(value, VARHDRSZ + size);
	memcpy(VARDATA(value), bytes, size);
	ExecClearTuple(sort->slot);
	ExecForceStoreMinimalTuple(nd_heap_form_minimal_tuple(sort->columns, values, nulls), sort->slot,
							   true);
	tuplesort_puttupleslot(sort->sort, sort->slot);
	ExecClearTuple(sort->slot);
	pfree(value);
}

void
EntrySortPerform(EntrySort *sort)
{
	tuplesort_performsort(sort->sort);
}

const void *
EntrySortGet(EntrySort *sort, Size *size)
{
	bytea *value;
	bool isnull;

	if (!tuplesort_gettupleslot(sort->sort, true, false, sort->slot, NULL))
		return NULL;
	value = DatumGetByteaPP(slot_getattr(sort->slot, 3, &isnull));
	*size = VARSIZE_ANY_EXHDR(value);
	return VARDATA_ANY(value);
}

void
EntrySortEnd(EntrySort *sort)
{
	ExecDropSingleTupleTableSlot(sort->slot);
	tuplesort_end(sort->sort);
	FreeTupleDesc(sort->columns);
}
