/*
 * edges.c
 *		Pairs sorted by tuplesort as one integer each.
 */
#include "postgres.h"

#include "catalog/pg_operator_d.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/tuplesort.h"

#include "cluster/edges.h"
#include "cluster/pair.h"
#include "compat.h"

enum
{
	COLUMN_EDGE = 1,
	COLUMN_VALUE,
	COLUMNS = COLUMN_VALUE
};

/* No pair has two equal ends. */
#define NO_EDGE PairPack(0, 0)

struct Edges
{
	TupleDesc descriptor;
	TupleTableSlot *slot; /* of EdgesPut */
	TupleTableSlot *sorted_slot;
	Tuplesortstate *sort;
	int64 previous; /* of EdgesNext; NO_EDGE before the first */
};

Edges *
EdgesBegin(void)
{
	Edges *edges = palloc0(sizeof(Edges));
	AttrNumber column = COLUMN_EDGE;
	Oid less_operator = Int8LessOperator;
	Oid collation = InvalidOid;
	bool nulls_first = false;

	edges->descriptor = CreateTemplateTupleDesc(COLUMNS);
	TupleDescInitEntry(edges->descriptor, COLUMN_EDGE, "edge", INT8OID, -1, 0);
	TupleDescInitEntry(edges->descriptor, COLUMN_VALUE, "value", FLOAT8OID, -1, 0);
	nd_finish_tuple_desc(edges->descriptor);
	edges->slot = MakeSingleTupleTableSlot(edges->descriptor, &TTSOpsVirtual);
	memset(edges->slot->tts_isnull, 0, COLUMNS * sizeof(bool));
	edges->sorted_slot = MakeSingleTupleTableSlot(edges->descriptor, &TTSOpsMinimalTuple);
	edges->sort = tuplesort_begin_heap(edges->descriptor, 1, &column, &less_operator, &collation,
									   &nulls_first, work_mem, NULL, TUPLESORT_RANDOMACCESS);
	edges->previous = NO_EDGE;
	return edges;
}

void
EdgesPut(Edges *edges, uint32 first, uint32 second, double value)
{
	TupleTableSlot *slot = edges->slot;

	ExecClearTuple(slot);
	slot->tts_values[COLUMN_EDGE - 1] = Int64GetDatum(PairPack(first, second));
	slot->tts_values[COLUMN_VALUE - 1] = Float8GetDatum(value);
	ExecStoreVirtualTuple(slot);
	tuplesort_puttupleslot(edges->sort, slot);
}

void
EdgesSort(Edges *edges)
{
	tuplesort_performsort(edges->sort);
}

bool
EdgesNext(Edges *edges, uint32 *first, uint32 *second, double *value)
{
	bool isnull;
	int64 edge;

	do
	{
		CHECK_FOR_INTERRUPTS();
		if (!tuplesort_gettupleslot(edges->sort, true, false, edges->sorted_slot, NULL))
			return false;
		edge = DatumGetInt64(slot_getattr(edges->sorted_slot, COLUMN_EDGE, &isnull));
	} while (edge == edges->previous);
	edges->previous = edge;
	*value = DatumGetFloat8(slot_getattr(edges->sorted_slot, COLUMN_VALUE, &isnull));
	*first = PairFirst(edge);
	*second = PairSecond(edge);
	return true;
}

void
EdgesRewind(Edges *edges)
{
	tuplesort_rescan(edges->sort);
	edges->previous = NO_EDGE;
}

void
EdgesEnd(Edges *edges)
{
	ExecDropSingleTupleTableSlot(edges->slot);
	ExecDropSingleTupleTableSlot(edges->sorted_slot);
	tuplesort_end(edges->sort);
	FreeTupleDesc(edges->descriptor);
	pfree(edges);
}
