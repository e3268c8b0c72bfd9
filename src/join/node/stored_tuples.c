/*
 * stored_tuples.c
 *		Stores rows as keys of the join, and puts them back into the scan tuple.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "utils/memutils.h"

#include "compat.h"
#include "join/node/stored_tuples.h"

/* The tuple begins at this offset within the bytea, aligned as its columns require. */
#define TUPLE_OFFSET MAXALIGN(VARHDRSZ)

StoredTuples *
StoredTuplesCreate(TupleDesc input, Bitmapset *columns)
{
	StoredTuples *tuples = palloc0(sizeof(StoredTuples));
	int count = bms_num_members(columns);
	int column = -1;
	int stored = 0;

	tuples->descriptor = CreateTemplateTupleDesc(count);
	tuples->sources = palloc(sizeof(int) * (count + 1));
	tuples->values = palloc(sizeof(Datum) * (count + 1));
	tuples->nulls = palloc(sizeof(bool) * (count + 1));
	while ((column = bms_next_member(columns, column)) >= 0)
	{
		tuples->sources[stored++] = column;
		TupleDescCopyEntry(tuples->descriptor, stored, input, column + 1);
	}
	nd_finish_tuple_desc(tuples->descriptor);
	return tuples;
}

static int
stored_column(const StoredTuples *tuples, int source)
{
	for (int i = 0; i < tuples->descriptor->natts; i++)
	{
		if (tuples->sources[i] == source)
			return i;
	}
	elog(ERROR, "column %d of the input is not stored", source + 1);
}

TuplePlace *
TuplePlaceCreate(const StoredTuples *tuples, int first, int count, Bitmapset *columns,
				 const int *sources)
{
	TuplePlace *place = palloc0(sizeof(TuplePlace));
	int column = -1;

	place->slot = MakeSingleTupleTableSlot(tuples->descriptor, &TTSOpsMinimalTuple);
	place->first = first;
	place->end = first + count;
	place->from = palloc(sizeof(int) * (count + 1));
	place->to = palloc(sizeof(int) * (count + 1));
	while ((column = bms_next_member(columns, column)) >= 0)
	{
		place->from[place->count] =
			stored_column(tuples, sources == NULL ? column : sources[column]);
		place->to[place->count++] = first + column;
	}
	return place;
}

Datum
StoredTupleForm(StoredTuples *tuples, TupleTableSlot *input)
{
	MinimalTuple tuple;
	char *stored;

	for (int i = 0; i < tuples->descriptor->natts; i++)
	{
		tuples->values[i] = input->tts_values[tuples->sources[i]];
		tuples->nulls[i] = input->tts_isnull[tuples->sources[i]];
	}
	tuple = nd_heap_form_minimal_tuple(tuples->descriptor, tuples->values, tuples->nulls);
	if (!AllocSizeIsValid(TUPLE_OFFSET + (Size) tuple->t_len))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("similarity join is too large"),
				 errdetail("A row of %u bytes cannot be stored.", tuple->t_len)));
	stored = palloc(TUPLE_OFFSET + tuple->t_len);
	memset(stored, 0, TUPLE_OFFSET);
	SET_VARSIZE(stored, TUPLE_OFFSET + tuple->t_len);
	memcpy(stored + TUPLE_OFFSET, tuple, tuple->t_len);
	return PointerGetDatum(stored);
}

void
StoredTuplePut(TuplePlace *place, Datum tuple, TupleTableSlot *scan_tuple)
{
	TupleTableSlot *slot = place->slot;

	if (place->tuple == tuple)
		return;
	place->tuple = tuple;
	ExecStoreMinimalTuple((MinimalTuple) ((char *) DatumGetPointer(tuple) + TUPLE_OFFSET), slot,
						  false);
	slot_getallattrs(slot);
	for (int i = 0; i < place->count; i++)
	{
		scan_tuple->tts_values[place->to[i]] = slot->tts_values[place->from[i]];
		scan_tuple->tts_isnull[place->to[i]] = slot->tts_isnull[place->from[i]];
	}
}

void
StoredTuplePutNull(TuplePlace *place, TupleTableSlot *scan_tuple)
{
	TuplePlaceForget(place);
	memset(scan_tuple->tts_isnull + place->first, true, place->end - place->first);
}

void
TuplePlaceForget(TuplePlace *place)
{
	place->tuple = (Datum) 0;
}
