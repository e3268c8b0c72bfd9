/*
 * entry_sort.c
 *		Putting the entries of dictionaries into the order of frequency, or back into the order of
 *		the hash.
 *
 * A dictionary is read in the order of the hash, and most tokens have few postings. So elements are
 * not compared with each other where that can be avoided: there is a tape for each low count, to
 * which the elements of this count are appended. As they come in the order of the hash, each tape
 * has this order. Reading one tape after the other gives all elements by count, and merging the
 * tapes gives them by hash.
 *
 * The few elements with greater counts go through PostgreSQL's sort of tuples: two columns of type
 * bigint are the keys, and a third one of type bytea holds the element.
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

/* With this bit toggled, unsigned numbers sort correctly as bigint. */
#define SIGN_BIT (UINT64CONST(1) << 63)

void
EntrySortBegin(EntrySort *sort, EntryOrder order, int memory)
{
	AttrNumber columns[2] = {1, 2};
	Oid operators[2] = {Int8LessOperator, Int8LessOperator};
	Oid collations[2] = {InvalidOid, InvalidOid};
	bool nulls_first[2] = {false, false};

	memset(sort, 0, sizeof(*sort));
	sort->order = order;
	EntryTapeSetBegin(&sort->set, (Size) memory * 1024 / 2);
	sort->columns = CreateTemplateTupleDesc(3);
	TupleDescInitEntry(sort->columns, 1, "count", INT8OID, -1, 0);
	TupleDescInitEntry(sort->columns, 2, "hash", INT8OID, -1, 0);
	TupleDescInitEntry(sort->columns, 3, "entries", BYTEAOID, -1, 0);
	nd_finish_tuple_desc(sort->columns);
	sort->slot = MakeSingleTupleTableSlot(sort->columns, &TTSOpsMinimalTuple);
	sort->sort = tuplesort_begin_heap(sort->columns, 2, columns, operators, collations, nulls_first,
									  memory / 2, NULL, TUPLESORT_NONE);
}

static inline uint64
hash_of_element(const void *bytes)
{
	Token token;

	memcpy(&token, bytes, sizeof(token));
	return IndexTokenHash(token);
}

/* Puts an element into PostgreSQL's sort. */
static void
put_into_sort(EntrySort *sort, uint64 count, const void *bytes, Size size)
{
	bytea *value = palloc(VARHDRSZ + size);
	int64 by_count = sort->order == ENTRIES_BY_COUNT ? (int64) count : 0;
	int64 by_hash = (int64) (hash_of_element(bytes) ^ SIGN_BIT);
	Datum values[3] = {nd_int64_datum(&by_count), nd_int64_datum(&by_hash), PointerGetDatum(value)};
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
EntrySortPut(EntrySort *sort, uint64 count, const void *bytes, Size size)
{
	if (count <= ENTRY_SORT_FEW)
		EntryTapePut(&sort->set, &sort->tapes[count], bytes, (uint32) size);
	else
		put_into_sort(sort, count, bytes, size);
}

/* Returns the next element of PostgreSQL's sort, or NULL after the last one. */
static const void *
get_from_sort(EntrySort *sort, Size *size)
{
	bytea *value;
	bool isnull;

	if (!tuplesort_gettupleslot(sort->sort, true, false, sort->slot, NULL))
		return NULL;
	value = DatumGetByteaPP(slot_getattr(sort->slot, 3, &isnull));
	*size = VARSIZE_ANY_EXHDR(value);
	return VARDATA_ANY(value);
}

/* Returns the next element of a tape or, if it is NULL, of the sort. */
static const void *
get_from(EntrySort *sort, EntryTape *tape, Size *size)
{
	const void *bytes;
	uint32 tape_size = 0;

	if (tape == NULL)
		return get_from_sort(sort, size);
	bytes = EntryTapeGet(tape, &tape_size);
	*size = tape_size;
	return bytes;
}

/* Reads the next element of a run. Removes the run if it has none. */
static void
advance_run(EntrySort *sort, uint32 i)
{
	EntryRun *run = &sort->runs[i];

	run->bytes = get_from(sort, run->tape, &run->size);
	if (run->bytes == NULL)
		*run = sort->runs[--sort->run_count];
	else
		run->hash = hash_of_element(run->bytes);
}

void
EntrySortPerform(EntrySort *sort)
{
	tuplesort_performsort(sort->sort);
	for (uint32 i = 1; i <= ENTRY_SORT_FEW; i++)
		EntryTapeRewind(&sort->tapes[i]);
	sort->count = 1;
	if (sort->order == ENTRIES_BY_COUNT)
		return;
	for (uint32 i = 0; i <= ENTRY_SORT_FEW; i++)
	{
		sort->runs[sort->run_count].tape = i == 0 ? NULL : &sort->tapes[i];
		sort->run_count++;
		advance_run(sort, sort->run_count - 1);
	}
	sort->last_run = sort->run_count;
}

static const void *
get_by_count(EntrySort *sort, Size *size)
{
	for (; sort->count <= ENTRY_SORT_FEW; sort->count++)
	{
		const void *bytes = get_from(sort, &sort->tapes[sort->count], size);

		if (bytes != NULL)
			return bytes;
	}
	return get_from_sort(sort, size);
}

/* The element that was returned last has stayed in its run, which goes on only now. */
static const void *
get_by_hash(EntrySort *sort, Size *size)
{
	uint32 least = 0;

	if (sort->last_run < sort->run_count)
		advance_run(sort, sort->last_run);
	for (uint32 i = 1; i < sort->run_count; i++)
	{
		if (sort->runs[i].hash < sort->runs[least].hash)
			least = i;
	}
	sort->last_run = least;
	if (sort->run_count == 0)
		return NULL;
	*size = sort->runs[least].size;
	return sort->runs[least].bytes;
}

const void *
EntrySortGet(EntrySort *sort, Size *size)
{
	return sort->order == ENTRIES_BY_COUNT ? get_by_count(sort, size) : get_by_hash(sort, size);
}

void
EntrySortEnd(EntrySort *sort)
{
	EntryTapeSetEnd(&sort->set);
	ExecDropSingleTupleTableSlot(sort->slot);
	tuplesort_end(sort->sort);
	FreeTupleDesc(sort->columns);
}
