/*
 * grouped_rows.c
 *		Keeps the rows of an input of the join node in the order of their groups.
 */
#include "postgres.h"

#include "catalog/pg_operator_d.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"

#include "compat.h"
#include "join/node/grouped_rows.h"

GroupedRows *
GroupedRowsBegin(const StoredTuples *tuples, int kilobytes)
{
	GroupedRows *rows = palloc(sizeof(GroupedRows));
	int count = tuples->descriptor->natts;
	TupleDesc descriptor = CreateTemplateTupleDesc(count + 1);
	AttrNumber column = 1;
	Oid less_operator = Int8LessOperator;
	Oid collation = InvalidOid;
	bool nulls_first = false;

	TupleDescInitEntry(descriptor, 1, "group", INT8OID, -1, 0);
	for (int i = 1; i <= count; i++)
		TupleDescCopyEntry(descriptor, (AttrNumber) (i + 1), tuples->descriptor, (AttrNumber) i);
	nd_finish_tuple_desc(descriptor);
	rows->tuples = tuples;
	rows->put = MakeSingleTupleTableSlot(descriptor, &TTSOpsVirtual);
	rows->row = MakeSingleTupleTableSlot(descriptor, &TTSOpsMinimalTuple);
	rows->sort = tuplesort_begin_heap(descriptor, 1, &column, &less_operator, &collation,
									  &nulls_first, kilobytes, NULL, TUPLESORT_RANDOMACCESS);
	return rows;
}

void
GroupedRowsPut(GroupedRows *rows, int64 group, TupleTableSlot *row)
{
	TupleTableSlot *put = rows->put;

	ExecClearTuple(put);
	put->tts_values[0] = nd_int64_datum(&group);
	put->tts_isnull[0] = false;
	for (int i = 0; i < rows->tuples->descriptor->natts; i++)
	{
		put->tts_values[i + 1] = row->tts_values[rows->tuples->sources[i]];
		put->tts_isnull[i + 1] = row->tts_isnull[rows->tuples->sources[i]];
	}
	ExecStoreVirtualTuple(put);
	tuplesort_puttupleslot(rows->sort, put);
}

bool
GroupedRowsNext(GroupedRows *rows)
{
	if (!tuplesort_gettupleslot(rows->sort, true, false, rows->row, NULL))
		return false;
	slot_getallattrs(rows->row);
	rows->group = DatumGetInt64(rows->row->tts_values[0]);
	return true;
}

/* The mark is before the first row of the group that was sought last, or of all. */
void
GroupedRowsSeek(GroupedRows *rows, int64 group)
{
	tuplesort_restorepos(rows->sort);
	do
	{
		CHECK_FOR_INTERRUPTS();
		tuplesort_markpos(rows->sort);
	} while (GroupedRowsNext(rows) && rows->group < group);
	tuplesort_restorepos(rows->sort);
}

void
GroupedRowsShow(const GroupedRows *rows, TupleTableSlot *scan_tuple, int first)
{
	for (int i = 0; i < rows->tuples->descriptor->natts; i++)
	{
		scan_tuple->tts_values[first + rows->tuples->sources[i]] = rows->row->tts_values[i + 1];
		scan_tuple->tts_isnull[first + rows->tuples->sources[i]] = rows->row->tts_isnull[i + 1];
	}
}

void
GroupedRowsFigures(const GroupedRows *rows, Size *memory_bytes, int64 *temp_bytes)
{
	TuplesortInstrumentation stats;

	tuplesort_get_stats(rows->sort, &stats);
	if (stats.spaceType == SORT_SPACE_TYPE_DISK)
		*temp_bytes += stats.spaceUsed * 1024;
	else
		*memory_bytes += (Size) stats.spaceUsed * 1024;
}
