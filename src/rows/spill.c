/*
 * spill.c
 *		Rows of a join that do not fit into memory.
 *
 * Rows go through tuplesort to a file that can be read from any place, as tuplesort's own cannot.
 * A tuple for each row would cost more than the row itself. Therefore rows are collected in a
 * chunk of memory, which is put in order when it is full: its rows that are measured alike become
 * one tuple, a batch. A batch is written, sorted and read as a whole.
 *
 * A row in a batch is a head, the key, tokens, and ids of the other tokens, each at a multiple of 8
 * bytes. While the row is in the chunk, it only has tokens. If there is a vocabulary, it numbers
 * the tokens of the whole chunk, since the dictionary takes tokens in batches.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/memutils.h"
#include "utils/tuplesort.h"

#include "allocate.h"
#include "compat.h"
#include "progress/progress.h"
#include "rows/spill.h"
#include "kernel/records/key_sort.h"

enum
{
	COLUMN_MEASURED,
	COLUMN_CHUNK,
	COLUMN_ROW_COUNT,
	COLUMN_ROWS,
	COLUMNS
};

/* Batches are sorted by the first two columns, so rows that are measured alike stay in their order. */
#define SORT_COLUMNS 2

/* The part of the memory for sorting that a chunk takes, and its most bytes. */
#define PART_OF_CHUNK 16
#define MOST_CHUNK_BYTES ((Size) 1024 * 1024)

/* The part of it that is left for the chunk, its rows' places, and a batch with its tuple. */
#define PART_BESIDE_SORT 4

typedef struct RowHead
{
	uint32 size;
	uint32 id_count;
} RowHead;

typedef struct ChunkRow
{
	int64 measured;
	uint32 start; /* in the chunk */
	uint32 bytes;
} ChunkRow;

typedef struct BatchHead
{
	int64 measured;
	uint32 bytes;
	uint32 row_count;
} BatchHead;

struct JoinSpill
{
	MemoryContext context;
	JoinHost *host;
	const char *join;
	bool key_by_value;
	int16 key_length;
	JoinVocabulary *vocabulary;
	TupleTableSlot *slot;
	Tuplesortstate *sort;
	BufFile *file;
	int64 bytes;
	uint64 row_count;

	/* Rows that are in no batch yet. */
	char *chunk;
	Size usual_chunk; /* bytes */
	Size chunk_capacity;
	Size chunk_bytes;
	ChunkRow *rows;
	uint32 chunk_rows;
	uint64 chunks; /* before this one */
	uint32 row_capacity;

	/* The batch that is read, with room for the longest. */
	BatchHead head;
	SpillMark mark;	 /* of the last row */
	uint32 next_row; /* offset in the batch */
	char *batch;
	Size longest;
};

JoinSpill *
JoinSpillBegin(MemoryContext context, JoinHost *host, const char *join, const JoinKeys *keys,
			   int sort_memory)
{
	MemoryContext previous = MemoryContextSwitchTo(context);
	JoinSpill *spill = palloc0(sizeof(JoinSpill));
	TupleDesc descriptor = CreateTemplateTupleDesc(COLUMNS);
	AttrNumber columns[SORT_COLUMNS] = {COLUMN_MEASURED + 1, COLUMN_CHUNK + 1};
	Oid operators[SORT_COLUMNS] = {Int8LessOperator, Int8LessOperator};
	Oid collations[SORT_COLUMNS] = {InvalidOid, InvalidOid};
	bool nulls_first[SORT_COLUMNS] = {false, false};

	spill->context = context;
	spill->host = host;
	spill->join = join;
	/* Integer keys are written as bigint, since the two sides may have different types. */
	spill->key_by_value = keys->is_integer ? FLOAT8PASSBYVAL : keys->type_by_value;
	spill->key_length = keys->is_integer ? (int16) sizeof(int64) : keys->type_length;
	TupleDescInitEntry(descriptor, COLUMN_MEASURED + 1, "measured", INT8OID, -1, 0);
	TupleDescInitEntry(descriptor, COLUMN_CHUNK + 1, "chunk", INT8OID, -1, 0);
	TupleDescInitEntry(descriptor, COLUMN_ROW_COUNT + 1, "row_count", INT4OID, -1, 0);
	TupleDescInitEntry(descriptor, COLUMN_ROWS + 1, "rows", BYTEAOID, -1, 0);
	nd_finish_tuple_desc(descriptor);
	spill->slot = MakeSingleTupleTableSlot(descriptor, &TTSOpsVirtual);
	spill->sort =
		tuplesort_begin_heap(descriptor, SORT_COLUMNS, columns, operators, collations, nulls_first,
							 sort_memory - sort_memory / PART_BESIDE_SORT, NULL, TUPLESORT_NONE);
	spill->usual_chunk = spill->chunk_capacity =
		Min((Size) sort_memory * 1024 / PART_OF_CHUNK, MOST_CHUNK_BYTES);
	spill->chunk = palloc(spill->chunk_capacity);
	MemoryContextSwitchTo(previous);
	return spill;
}

static Size
key_bytes(const JoinSpill *spill, Datum key)
{
	return spill->key_by_value ? sizeof(Datum) : datumGetSize(key, false, spill->key_length);
}

static Size
row_bytes(const JoinSpill *spill, const SpillRow *row)
{
	return sizeof(RowHead) + MAXALIGN(key_bytes(spill, row->key)) +
		   (Size) (row->size - row->id_count) * sizeof(int64) +
		   MAXALIGN((Size) row->id_count * sizeof(uint32));
}

/* Returns where the tokens of a row are. */
static char *
tokens_of_row(const JoinSpill *spill, char *row)
{
	char *key = row + sizeof(RowHead);

	return key + MAXALIGN(key_bytes(spill, spill->key_by_value ? 0 : PointerGetDatum(key)));
}

/* Writes the ids of all tokens of the chunk, row after row. */
static void
number_chunk(JoinSpill *spill, uint32 *ids)
{
	int64 batch[DICTIONARY_BATCH];
	uint32 count = 0;

	for (uint32 i = 0; i < spill->chunk_rows; i++)
	{
		char *row = spill->chunk + spill->rows[i].start;
		uint32 size = ((RowHead *) row)->size - ((RowHead *) row)->id_count;
		const int64 *tokens = (const int64 *) tokens_of_row(spill, row);

		CHECK_FOR_INTERRUPTS();
		for (uint32 from = 0, some; from < size; from += some)
		{
			some = Min(size - from, DICTIONARY_BATCH - count);
			memcpy(batch + count, tokens + from, some * sizeof(int64));
			count += some;
			if (count == DICTIONARY_BATCH)
			{
				JoinVocabularyNumber(spill->vocabulary, batch, count, ids);
				ids += count;
				count = 0;
			}
		}
	}
	if (count > 0)
		JoinVocabularyNumber(spill->vocabulary, batch, count, ids);
}

/* Replaces tokens of a row by their ids, behind those that have none; returns how many it had. */
static uint32
replace_by_ids(const JoinSpill *spill, ChunkRow *place, const uint32 *ids)
{
	char *row = spill->chunk + place->start;
	RowHead *head = (RowHead *) row;
	int64 *tokens = (int64 *) tokens_of_row(spill, row);
	uint32 *row_ids;
	uint32 count = head->size - head->id_count;
	uint32 left = 0;

	if (count == 0)
		return 0;
	Assert(head->id_count == 0);
	for (uint32 i = 0; i < count; i++)
	{
		tokens[left] = tokens[i];
		left += ids[i] == 0;
	}
	row_ids = (uint32 *) (tokens + left);
	for (uint32 i = 0; i < count; i++)
	{
		if (ids[i] != 0)
			*row_ids++ = ids[i];
	}
	head->id_count = count - left;
	place->bytes = (uint32) ((char *) (tokens + left) - row +
							 MAXALIGN((Size) head->id_count * sizeof(uint32)));
	return count;
}

static void
encode_chunk(JoinSpill *spill)
{
	Size capacity = spill->chunk_bytes / sizeof(int64);
	uint32 *ids = JoinAllocate(spill->host, capacity, sizeof(uint32));
	const uint32 *next = ids;

	number_chunk(spill, ids);
	for (uint32 i = 0; i < spill->chunk_rows; i++)
		next += replace_by_ids(spill, &spill->rows[i], next);
	JoinRelease(spill->host, ids, capacity, sizeof(uint32));
}

/* Puts rows of the chunk that are measured alike, in this order, into the sort as one tuple. */
static void
put_batch(JoinSpill *spill, const KeyedItem *items, uint32 count)
{
	TupleTableSlot *slot = spill->slot;
	int64 measured = spill->rows[items[0].item].measured;
	int64 chunk = (int64) spill->chunks;
	Size length = VARHDRSZ;
	bytea *batch;
	char *to;

	for (uint32 i = 0; i < count; i++)
		length += spill->rows[items[i].item].bytes;
	batch = palloc(length);
	SET_VARSIZE(batch, length);
	to = VARDATA(batch);
	for (uint32 i = 0; i < count; i++)
	{
		const ChunkRow *row = &spill->rows[items[i].item];

		memcpy(to, spill->chunk + row->start, row->bytes);
		to += row->bytes;
	}
	ExecClearTuple(slot);
	slot->tts_values[COLUMN_MEASURED] = nd_int64_datum(&measured);
	slot->tts_values[COLUMN_CHUNK] = nd_int64_datum(&chunk);
	slot->tts_values[COLUMN_ROW_COUNT] = Int32GetDatum((int32) count);
	slot->tts_values[COLUMN_ROWS] = PointerGetDatum(batch);
	memset(slot->tts_isnull, 0, COLUMNS * sizeof(bool));
	ExecStoreVirtualTuple(slot);
	tuplesort_puttupleslot(spill->sort, slot);
	ExecClearTuple(slot);
	pfree(batch);
}

static void
resize_chunk(JoinSpill *spill, Size bytes)
{
	spill->chunk = repalloc(spill->chunk, bytes);
	spill->chunk_capacity = bytes;
}

/* Puts the rows of the chunk into the sort, and empties it. */
static void
empty_chunk(JoinSpill *spill)
{
	uint32 count = spill->chunk_rows;
	KeyedItem *items;

	if (count == 0)
		return;
	if (spill->vocabulary != NULL)
		encode_chunk(spill);
	items = JoinAllocate(spill->host, count, sizeof(KeyedItem));
	for (uint32 i = 0; i < count; i++)
		items[i] = (KeyedItem){.key = (uint64) spill->rows[i].measured, .item = i};
	/* Rows that are measured alike stay in the order in which they came. */
	KeySort(items, count, NULL, NULL, spill->host);
	for (uint32 first = 0, end; first < count; first = end)
	{
		CHECK_FOR_INTERRUPTS();
		for (end = first + 1; end < count && items[end].key == items[first].key;)
			end++;
		put_batch(spill, items + first, end - first);
	}
	JoinRelease(spill->host, items, count, sizeof(KeyedItem));
	spill->chunks++;
	spill->chunk_rows = 0;
	spill->chunk_bytes = 0;
	if (spill->chunk_capacity > spill->usual_chunk)
		resize_chunk(spill, spill->usual_chunk);
}

/* Ensures that the chunk has room for a row, and returns where it goes. */
static char *
place_row(JoinSpill *spill, const SpillRow *row, Size bytes)
{
	Size start;

	if (!AllocSizeIsValid(bytes + sizeof(BatchHead) + VARHDRSZ + MAXIMUM_ALIGNOF * 4))
		ereport(
			ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("%s is too large", spill->join),
			 errdetail("A set of %u tokens cannot be written to a temporary file.", row->size),
			 errhint("Increase \"neardup.join_memory\", or \"work_mem\" for a join of a plan.")));
	if (spill->chunk_bytes > 0 && spill->chunk_bytes + bytes > spill->chunk_capacity)
		empty_chunk(spill);
	if (spill->chunk_bytes + bytes > spill->chunk_capacity)
		resize_chunk(spill, bytes);
	start = spill->chunk_bytes;
	spill->chunk_bytes += bytes;
	ARRAY_MAKE_ROOM(spill->rows, spill->chunk_rows, spill->row_capacity);
	spill->rows[spill->chunk_rows++] =
		(ChunkRow){.measured = row->measured, .start = (uint32) start, .bytes = (uint32) bytes};
	return spill->chunk + start;
}

/* Copies some bytes and returns where the next ones go. */
static char *
write_aligned(char *to, const void *from, Size bytes)
{
	memcpy(to, from, bytes);
	return to + MAXALIGN(bytes);
}

void
JoinSpillPut(JoinSpill *spill, const SpillRow *row)
{
	MemoryContext previous = MemoryContextSwitchTo(spill->context);
	RowHead head = {.size = row->size, .id_count = row->id_count};
	SpillRow put = *row;
	char *to;

	/* The key is detoasted now: its row may be gone when pairs are returned. */
	if (!spill->key_by_value && spill->key_length == -1)
		put.key = PointerGetDatum(PG_DETOAST_DATUM_PACKED(row->key));
	to = place_row(spill, &put, row_bytes(spill, &put));
	to = write_aligned(to, &head, sizeof(head));
	to = write_aligned(to, spill->key_by_value ? (void *) &put.key : DatumGetPointer(put.key),
					   key_bytes(spill, put.key));
	if (put.size > put.id_count)
		to = write_aligned(to, put.tokens, (Size) (put.size - put.id_count) * sizeof(int64));
	if (put.id_count > 0)
		memcpy(to, put.ids, (Size) put.id_count * sizeof(uint32));
	if (put.key != row->key)
		pfree(DatumGetPointer(put.key));
	spill->row_count++;
	MemoryContextSwitchTo(previous);
}

static void
write_batch(JoinSpill *spill, TupleTableSlot *slot)
{
	bytea *rows;
	BatchHead head;

	slot_getallattrs(slot);
	rows = (bytea *) DatumGetPointer(slot->tts_values[COLUMN_ROWS]);
	head = (BatchHead){.measured = DatumGetInt64(slot->tts_values[COLUMN_MEASURED]),
					   .bytes = (uint32) VARSIZE_ANY_EXHDR(rows),
					   .row_count = (uint32) DatumGetInt32(slot->tts_values[COLUMN_ROW_COUNT])};
	BufFileWrite(spill->file, &head, sizeof(head));
	BufFileWrite(spill->file, VARDATA_ANY(rows), head.bytes);
	JoinProgressAdvance(head.row_count);
	spill->bytes += sizeof(head) + head.bytes;
	spill->longest = Max(spill->longest, head.bytes);
}

void
JoinSpillNumber(JoinSpill *spill, JoinVocabulary *vocabulary)
{
	spill->vocabulary = vocabulary;
}

void
JoinSpillSort(JoinSpill *spill)
{
	MemoryContext previous = MemoryContextSwitchTo(spill->context);
	TupleTableSlot *slot;
	TuplesortInstrumentation stats;

	empty_chunk(spill);
	pfree(spill->chunk);
	if (spill->rows != NULL)
		pfree(spill->rows);
	spill->chunk = NULL;
	spill->rows = NULL;
	tuplesort_performsort(spill->sort);
	spill->file = BufFileCreateTemp(false);
	slot = MakeSingleTupleTableSlot(spill->slot->tts_tupleDescriptor, &TTSOpsMinimalTuple);
	while (tuplesort_gettupleslot(spill->sort, true, false, slot, NULL))
	{
		CHECK_FOR_INTERRUPTS();
		write_batch(spill, slot);
	}
	tuplesort_get_stats(spill->sort, &stats);
	if (stats.spaceType == SORT_SPACE_TYPE_DISK)
		spill->bytes += stats.spaceUsed * 1024;
	ExecDropSingleTupleTableSlot(slot);
	tuplesort_end(spill->sort);
	spill->sort = NULL;
	spill->batch = palloc(Max(spill->longest, 1));
	JoinSpillSeek(spill, (SpillMark){0});
	MemoryContextSwitchTo(previous);
}

static void
read_error(void)
{
	ereport(ERROR, (errcode_for_file_access(),
					errmsg("could not read from temporary file of a similarity join")));
}

void
JoinFileRead(BufFile *file, void *to, Size size)
{
	if (BufFileRead(file, to, size) != size)
		read_error();
}

/* Reads the batch at the present place of the file; false at the end. */
static bool
read_batch(JoinSpill *spill)
{
	size_t got;

	spill->mark.row_offset = spill->next_row = 0;
	BufFileTell(spill->file, &spill->mark.file, &spill->mark.offset);
	got = BufFileRead(spill->file, &spill->head, sizeof(BatchHead));
	if (got == 0)
	{
		spill->head.bytes = 0;
		return false;
	}
	if (got != sizeof(BatchHead) || spill->head.bytes > spill->longest)
		read_error();
	JoinFileRead(spill->file, spill->batch, spill->head.bytes);
	return true;
}

bool
JoinSpillNext(JoinSpill *spill, SpillRow *row)
{
	const RowHead *head;
	const char *from;

	if (spill->next_row == spill->head.bytes && !read_batch(spill))
		return false;
	spill->mark.row_offset = spill->next_row;
	from = spill->batch + spill->next_row;
	head = (const RowHead *) from;
	from += MAXALIGN(sizeof(RowHead));
	row->measured = spill->head.measured;
	row->size = head->size;
	row->id_count = head->id_count;
	row->key = spill->key_by_value ? *(const Datum *) from : PointerGetDatum(from);
	from += MAXALIGN(key_bytes(spill, row->key));
	row->tokens = from;
	from += (Size) (head->size - head->id_count) * sizeof(int64);
	row->ids = (const uint32 *) from;
	from += MAXALIGN((Size) head->id_count * sizeof(uint32));
	spill->next_row = (uint32) (from - spill->batch);
	if (spill->next_row > spill->head.bytes)
		read_error();
	return true;
}

SpillMark
JoinSpillTell(const JoinSpill *spill)
{
	return spill->mark;
}

void
JoinSpillSeek(JoinSpill *spill, SpillMark mark)
{
	bool is_here = mark.file == spill->mark.file && mark.offset == spill->mark.offset &&
				   mark.row_offset < spill->head.bytes;

	if (!is_here)
	{
		if (BufFileSeek(spill->file, mark.file, mark.offset, SEEK_SET) != 0)
			ereport(ERROR, (errcode_for_file_access(),
							errmsg("could not seek in temporary file of a similarity join")));
		if (!read_batch(spill) && mark.row_offset > 0)
			read_error();
	}
	spill->mark.row_offset = spill->next_row = mark.row_offset;
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
	if (spill->batch != NULL)
		pfree(spill->batch);
	pfree(spill);
}
