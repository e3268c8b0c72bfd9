/*
 * spill.c
 *		Rows of a join that do not fit into memory.
 *
 * Rows go through tuplesort to a file that can be read from any place, as tuplesort's own cannot.
 * A row is a minimal tuple (measured, key, tokens), for keys of any type.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplesort.h"

#include "compat.h"
#include "join/progress/progress.h"
#include "join/rows/spill.h"

#define COLUMNS 3

struct JoinSpill
{
	MemoryContext context;
	const char *join;
	TupleDesc descriptor;
	TupleTableSlot *slot;
	Tuplesortstate *sort;
	BufFile *file;
	int64 bytes;
	uint64 row_count;

	/* The last row read, with room for the longest. */
	TupleTableSlot *row_slot;
	MinimalTuple row;
	uint32 longest;
};

JoinSpill *
JoinSpillBegin(MemoryContext context, const char *join, Oid key_type, int sort_memory)
{
	MemoryContext previous = MemoryContextSwitchTo(context);
	JoinSpill *spill = palloc0(sizeof(JoinSpill));
	AttrNumber column = 1;
	Oid less_operator = Int8LessOperator;
	Oid collation = InvalidOid;
	bool nulls_first = false;

	spill->context = context;
	spill->join = join;
	spill->descriptor = CreateTemplateTupleDesc(COLUMNS);
	TupleDescInitEntry(spill->descriptor, 1, "measured", INT8OID, -1, 0);
	TupleDescInitEntry(spill->descriptor, 2, "key", key_type, -1, 0);
	TupleDescInitEntry(spill->descriptor, 3, "tokens", BYTEAOID, -1, 0);
	nd_finish_tuple_desc(spill->descriptor);
	spill->slot = MakeSingleTupleTableSlot(spill->descriptor, &TTSOpsVirtual);
	spill->row_slot = MakeSingleTupleTableSlot(spill->descriptor, &TTSOpsMinimalTuple);
	spill->sort = tuplesort_begin_heap(spill->descriptor, 1, &column, &less_operator, &collation,
									   &nulls_first, sort_memory, NULL, TUPLESORT_NONE);
	MemoryContextSwitchTo(previous);
	return spill;
}

void
JoinSpillPut(JoinSpill *spill, const SpillRow *row)
{
	MemoryContext previous = MemoryContextSwitchTo(spill->context);
	Size length = VARHDRSZ + (Size) row->size * sizeof(int64);
	bytea *bytes;

	if (!AllocSizeIsValid(length))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("%s is too large", spill->join),
				 errdetail("A set of %u tokens cannot be written to a temporary file.", row->size),
				 errhint("Increase \"work_mem\" or \"hash_mem_multiplier\".")));
	bytes = palloc(length);
	SET_VARSIZE(bytes, length);
	memcpy(VARDATA(bytes), row->tokens, length - VARHDRSZ);

	ExecClearTuple(spill->slot);
	spill->slot->tts_values[0] = Int64GetDatum(row->measured);
	spill->slot->tts_values[1] = row->key;
	spill->slot->tts_values[2] = PointerGetDatum(bytes);
	memset(spill->slot->tts_isnull, 0, COLUMNS * sizeof(bool));
	ExecStoreVirtualTuple(spill->slot);
	tuplesort_puttupleslot(spill->sort, spill->slot);
	spill->row_count++;
	ExecClearTuple(spill->slot);
	pfree(bytes);
	MemoryContextSwitchTo(previous);
}

void
JoinSpillSort(JoinSpill *spill)
{
	MemoryContext previous = MemoryContextSwitchTo(spill->context);
	TuplesortInstrumentation stats;

	tuplesort_performsort(spill->sort);
	spill->file = BufFileCreateTemp(false);
	while (tuplesort_gettupleslot(spill->sort, true, false, spill->row_slot, NULL))
	{
		MinimalTuple tuple = ExecFetchSlotMinimalTuple(spill->row_slot, NULL);

		CHECK_FOR_INTERRUPTS();
		BufFileWrite(spill->file, tuple, tuple->t_len);
		JoinProgressAdvance(1);
		spill->bytes += tuple->t_len;
		spill->longest = Max(spill->longest, tuple->t_len);
	}
	tuplesort_get_stats(spill->sort, &stats);
	if (stats.spaceType == SORT_SPACE_TYPE_DISK)
		spill->bytes += stats.spaceUsed * 1024;
	ExecClearTuple(spill->row_slot);
	tuplesort_end(spill->sort);
	spill->sort = NULL;
	spill->row = palloc(spill->longest);
	JoinSpillSeek(spill, (SpillMark){0, 0});
	MemoryContextSwitchTo(previous);
}

void
JoinFileRead(BufFile *file, void *to, Size size)
{
	if (BufFileRead(file, to, size) != size)
		ereport(ERROR, (errcode_for_file_access(),
						errmsg("could not read from temporary file of a similarity join")));
}

bool
JoinSpillNext(JoinSpill *spill, SpillRow *row)
{
	uint32 length;
	size_t got = BufFileRead(spill->file, &length, sizeof(length));
	bool isnull;
	bytea *bytes;

	if (got == 0)
		return false;
	ExecClearTuple(spill->row_slot);
	if (got != sizeof(length) || length <= sizeof(length) || length > spill->longest)
		ereport(ERROR, (errcode_for_file_access(),
						errmsg("could not read from temporary file of a similarity join")));
	spill->row->t_len = length;
	JoinFileRead(spill->file, (char *) spill->row + sizeof(length), length - sizeof(length));

	ExecStoreMinimalTuple(spill->row, spill->row_slot, false);
	row->measured = DatumGetInt64(slot_getattr(spill->row_slot, 1, &isnull));
	row->key = slot_getattr(spill->row_slot, 2, &isnull);
	bytes = (bytea *) DatumGetPointer(slot_getattr(spill->row_slot, 3, &isnull));
	row->tokens = VARDATA_ANY(bytes);
	row->size = (uint32) (VARSIZE_ANY_EXHDR(bytes) / sizeof(int64));
	return true;
}

SpillMark
JoinSpillTell(JoinSpill *spill)
{
	SpillMark mark;

	BufFileTell(spill->file, &mark.file, &mark.offset);
	return mark;
}

void
JoinSpillSeek(JoinSpill *spill, SpillMark mark)
{
	if (BufFileSeek(spill->file, mark.file, mark.offset, SEEK_SET) != 0)
		ereport(ERROR, (errcode_for_file_access(),
						errmsg("could not seek in temporary file of a similarity join")));
}

uint64
JoinSpillRows(const JoinSpill *spill)
{
	return spill->row_count;
}

int64
JoinSpillBytes(const JoinSpill *spill)
{
	return spill->bytes;
}

void
JoinSpillEnd(JoinSpill *spill)
{
	if (spill->sort != NULL)
		tuplesort_end(spill->sort);
	if (spill->file != NULL)
		BufFileClose(spill->file);
	ExecDropSingleTupleTableSlot(spill->slot);
	ExecDropSingleTupleTableSlot(spill->row_slot);
	if (spill->row != NULL)
		pfree(spill->row);
	FreeTupleDesc(spill->descriptor);
	pfree(spill);
}
