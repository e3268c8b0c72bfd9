/*
 * kept_rows.c
 *		Rows as keys, and back.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "utils/memutils.h"

#include "compat.h"
#include "join/kept_rows.h"

/* The tuple is aligned as its columns are. */
#define TUPLE_OFFSET MAXALIGN(VARHDRSZ)

KeptRows *
KeptRowsCreate(TupleDesc input, Bitmapset *columns)
{
	KeptRows *rows = palloc0(sizeof(KeptRows));
	int count = bms_num_members(columns);
	int column = -1;
	int kept = 0;

	rows->descriptor = CreateTemplateTupleDesc(count);
	rows->sources = palloc(sizeof(int) * (count + 1));
	rows->values = palloc(sizeof(Datum) * (count + 1));
	rows->nulls = palloc(sizeof(bool) * (count + 1));
	while ((column = bms_next_member(columns, column)) >= 0)
	{
		rows->sources[kept++] = column;
		TupleDescCopyEntry(rows->descriptor, kept, input, column + 1);
	}
	nd_finish_tuple_desc(rows->descriptor);
	return rows;
}

static int
kept_column(const KeptRows *rows, int source)
{
	for (int i = 0; i < rows->descriptor->natts; i++)
	{
		if (rows->sources[i] == source)
			return i;
	}
	elog(ERROR, "column %d of the input is not kept", source + 1);
}

KeptPlace *
KeptPlaceCreate(const KeptRows *rows, int first, int count, Bitmapset *columns, const int *sources)
{
	KeptPlace *place = palloc0(sizeof(KeptPlace));
	int column = -1;

	place->slot = MakeSingleTupleTableSlot(rows->descriptor, &TTSOpsMinimalTuple);
	place->first = first;
	place->end = first + count;
	place->from = palloc(sizeof(int) * (count + 1));
	place->to = palloc(sizeof(int) * (count + 1));
	while ((column = bms_next_member(columns, column)) >= 0)
	{
		place->from[place->count] = kept_column(rows, sources == NULL ? column : sources[column]);
		place->to[place->count++] = first + column;
	}
	return place;
}

Datum
KeptRowOf(KeptRows *rows, TupleTableSlot *input)
{
	MinimalTuple tuple;
	char *row;

	for (int i = 0; i < rows->descriptor->natts; i++)
	{
		rows->values[i] = input->tts_values[rows->sources[i]];
		rows->nulls[i] = input->tts_isnull[rows->sources[i]];
	}
	tuple = nd_heap_form_minimal_tuple(rows->descriptor, rows->values, rows->nulls);
	if (!AllocSizeIsValid(TUPLE_OFFSET + (Size) tuple->t_len))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("similarity join is too large"),
				 errdetail("A row of %u bytes cannot be kept.", tuple->t_len)));
	row = palloc(TUPLE_OFFSET + tuple->t_len);
	memset(row, 0, TUPLE_OFFSET);
	SET_VARSIZE(row, TUPLE_OFFSET + tuple->t_len);
	memcpy(row + TUPLE_OFFSET, tuple, tuple->t_len);
	return PointerGetDatum(row);
}

void
KeptRowPut(KeptPlace *place, Datum row, TupleTableSlot *wide)
{
	MinimalTuple tuple = (MinimalTuple) ((char *) DatumGetPointer(row) + TUPLE_OFFSET);

	if (place->row == row)
		return;
	place->row = row;
	ExecStoreMinimalTuple(tuple, place->slot, false);
	slot_getallattrs(place->slot);
	for (int i = 0; i < place->count; i++)
	{
		wide->tts_values[place->to[i]] = place->slot->tts_values[place->from[i]];
		wide->tts_isnull[place->to[i]] = place->slot->tts_isnull[place->from[i]];
	}
}

void
KeptPlaceForget(KeptPlace *place)
{
	place->row = (Datum) 0;
}

void
KeptRowPutNull(KeptPlace *place, TupleTableSlot *wide)
{
	place->row = (Datum) 0;
	for (int i = place->first; i < place->end; i++)
	{
		wide->tts_values[i] = (Datum) 0;
		wide->tts_isnull[i] = true;
	}
}
