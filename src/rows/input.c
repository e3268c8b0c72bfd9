/*
 * input.c
 *		Collecting the rows of a join within a limit of memory.
 *
 * Rows stay in memory while the whole join, with its later phases, fits the limit. When the next
 * row would not, all rows go to temporary files, one for each side. Their kind (row_kind.h) keeps
 * and writes them.
 */
#include "postgres.h"

#include <limits.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/memutils.h"

#include "compat.h"
#include "kernel/engines.h"
#include "rows/input.h"
#include "progress/progress.h"

/* The limit divided by the memory that is left for sorting and files. */
#define LIMIT_BY_SORTING 7

/* Kilobytes that tuplesort needs. */
#define LEAST_SORT_MEMORY 64

/* A part of fewer bytes has hardly any rows beside what a join takes whatever its rows are. */
#define LEAST_PART_BYTES ((Size) 80 * 1024)

/* The buffers of the files of both sides. */
#define FILE_BYTES ((Size) 2 * BLCKSZ)

/* The part of the limit that numbers tokens while rows are written to files. */
#define PART_OF_VOCABULARY 3

/* Small, since a block counts in full even if it is hardly used. */
#define LARGEST_KEY_BLOCK (32 * 1024)

void
JoinInputInit(JoinInput *input, const RowKind *kind, MemoryContext context, JoinHost *host)
{
	memset(input, 0, sizeof(*input));
	input->kind = kind;
	input->name = "similarity join";
	input->context = AllocSetContextCreate(context, "neardup join rows", ALLOCSET_SMALL_SIZES);
	input->key_context =
		AllocSetContextCreate(input->context, "neardup join keys", ALLOCSET_SMALL_MINSIZE,
							  ALLOCSET_SMALL_INITSIZE, LARGEST_KEY_BLOCK);
	JoinRecordsInit(&input->records, host);
	if (kind->init != NULL)
		kind->init(input);
}

void
JoinInputSetKeys(JoinInput *input, Oid type, Oid collation, bool are_compared)
{
	JoinKeysInit(&input->keys, input->key_context, input->records.host, type, collation,
				 are_compared);
}

void
JoinInputInitLike(JoinInput *input, const JoinInput *other, MemoryContext context)
{
	JoinInputInit(input, other->kind, context, other->records.host);
	input->name = other->name;
	input->records.buckets = other->records.buckets;
	input->records.known.count = other->records.known.count;
	input->keys = other->keys;
	input->keys.context = input->key_context;
	input->keys.count = input->keys.capacity = 0;
	input->keys.order = NULL;
	input->keys.values = NULL;
}

Size
JoinInputMemory(Size memory)
{
	return memory / (LIMIT_BY_SORTING + 1) * LIMIT_BY_SORTING;
}

Size
JoinInputPartMemory(const JoinInput *input, Size other_bytes, bool has_workers)
{
	Size memory = has_workers ? input->memory / SHARES * SHARE_OF_PART : input->memory;
	Size beside = JoinInputFileBytes(input) + other_bytes;
	Size least = Max(JoinInputMemory(memory), LEAST_PART_BYTES);

	if (OidIsValid(input->keys.less_operator))
		return least;
	return Max(memory - Min(beside, memory), least);
}

void
JoinInputLimit(JoinInput *input, Predicate predicate, JoinAlgorithm algorithm, Size limit)
{
	input->is_limited = true;
	input->predicate = predicate;
	MemoryEstimateInit(&input->estimate, predicate, JoinEngineBytes(algorithm), limit);
}

void
JoinInputRaiseLimit(JoinInput *input, Size limit)
{
	input->estimate.limit = limit;
	input->estimate.slack = 0;
}

int
JoinInputSortMemory(const JoinInput *input)
{
	Size bytes = input->estimate.limit / LIMIT_BY_SORTING;

	return Min(Max((bytes - Min(bytes, FILE_BYTES)) / 1024, LEAST_SORT_MEMORY), MAX_KILOBYTES);
}

Size
JoinInputFileBytes(const JoinInput *input)
{
	return JoinInputIsSpilled(input) ? MemoryContextMemAllocated(input->context, true) : 0;
}

Size
JoinInputKeySortBytes(const JoinInput *input)
{
	if (!OidIsValid(input->keys.less_operator))
		return 0;
	return (Size) JoinInputSortMemory(input) * 1024;
}

Size
JoinInputReadBytes(const JoinInput *input)
{
	Size bytes = input->records.host->peak_bytes;

	if (!JoinInputIsSpilled(input))
		return bytes + JoinInputKeyBytes(input);
	return bytes + input->spilled_key_bytes + (Size) JoinInputSortMemory(input) * 1024 +
		   input->other_sort_bytes + FILE_BYTES;
}

int64
JoinInputTempBytes(const JoinInput *input)
{
	int64 bytes = input->other_file_bytes;

	for (int side = 0; side < 2; side++)
	{
		if (input->spills[side] != NULL)
			bytes += JoinSpillBytes(input->spills[side]);
	}
	return bytes;
}

JoinSpill *
JoinInputBeginSpill(JoinInput *input)
{
	return JoinSpillBegin(input->context, input->records.host, input->name, &input->keys,
						  JoinInputSortMemory(input));
}

/* Returns the key of a row as a file has it. */
static Datum
key_of_row(const JoinInput *input, uint32 row)
{
	return input->keys.is_integer ? nd_int64_datum(&input->keys.integers[row])
								  : input->keys.values[row];
}

static void
forget_keys(JoinInput *input)
{
	input->spilled_key_bytes = JoinInputKeyBytes(input);
	JoinKeysClear(&input->keys);
	MemoryContextReset(input->key_context);
}

/* Sorts the left side first, so that only one sort takes memory at a time. */
static void
begin_right_spill(JoinInput *input)
{
	JoinSpillSort(input->spills[0]);
	input->spills[1] = JoinInputBeginSpill(input);
	if (input->vocabulary != NULL)
		JoinSpillNumber(input->spills[1], input->vocabulary);
}

static JoinSpill *
spill_of_row(JoinInput *input, uint32 row)
{
	if (!input->records.two_sided || row < input->records.first_right_row)
		return input->spills[0];
	if (input->spills[1] == NULL)
		begin_right_spill(input);
	return input->spills[1];
}

static void
spill_put_row(JoinInput *input, JoinSpill *spill, Datum key, const SpillRow *content)
{
	SpillRow row = *content;

	row.key = key;
	row.measured = input->kind->measured(row.size);
	JoinSpillPut(spill, &row);
}

void
JoinInputSpillRow(JoinInput *input, uint32 row, const SpillRow *content)
{
	CHECK_FOR_INTERRUPTS();
	spill_put_row(input, spill_of_row(input, row), key_of_row(input, row), content);
}

void
JoinInputBeginVocabulary(JoinInput *input, TokenDictionary *dictionary)
{
	input->vocabulary =
		JoinVocabularyBegin(input->context, dictionary, input->estimate.limit / PART_OF_VOCABULARY);
	JoinSpillNumber(input->spills[0], input->vocabulary);
}

static void
begin_needed(JoinInput *input)
{
	MemoryContext previous = MemoryContextSwitchTo(input->context);

	input->needed = NeededMemoryBegin(&input->records.dictionary, JoinInputKeyBytes(input));
	MemoryContextSwitchTo(previous);
}

Size
JoinInputMemoryOf(Size limit)
{
	return (limit / LIMIT_BY_SORTING + 1) * (LIMIT_BY_SORTING + 1);
}

static void
spill_rows(JoinInput *input)
{
	begin_needed(input);
	input->spills[0] = JoinInputBeginSpill(input);
	input->kind->spill(input);
	forget_keys(input);
	if (input->records.two_sided && input->spills[1] == NULL)
		begin_right_spill(input);
}

void
JoinInputBeginRight(JoinInput *input)
{
	input->records.two_sided = true;
	input->records.first_right_row = input->keys.count;
	/* The estimate is made again, since two sides take more memory. */
	input->estimate.slack = 0;
	if (JoinInputIsSpilled(input))
		begin_right_spill(input);
}

bool
JoinInputMakeRoom(JoinInput *input, uint32 size)
{
	input->largest = Max(input->largest, size);
	if (input->is_limited && !JoinInputIsSpilled(input) && !input->kind->fits(input, size))
		spill_rows(input);
	return !JoinInputIsSpilled(input);
}

void
JoinInputPut(JoinInput *input, Datum key, uint32 size, const void *tokens)
{
	int64 integer;

	MemoryEstimateAdd(&input->estimate, size);
	NeededMemoryAddKey(input->needed, &input->keys, key);
	NeededMemoryAddTokens(input->needed, tokens, size);
	if (input->keys.is_integer)
	{
		integer = JoinKeysInteger(&input->keys, key);
		key = nd_int64_datum(&integer);
	}
	spill_put_row(input, input->spills[input->records.two_sided ? 1 : 0], key,
				  &(SpillRow){.size = size, .tokens = tokens});
}

void
JoinInputAppendTokens(JoinInput *input, Datum key, const JoinRow *row)
{
	uint32 size;

	input->row_count++;
	input->token_count += row->count;
	if (row->count == 0)
		return;
	JoinInputPrefetch(row->data);
	/* The kind refuses larger rows. */
	size = (uint32) Min(row->count, (Size) JOIN_MAX_RECORD_SIZE + 1);
	if (JoinInputMakeRoom(input, size))
	{
		input->kind->keep(input, &(SpillRow){.size = size, .tokens = row->data});
		JoinInputTakeKey(input, key, size);
	}
	else
		JoinInputPut(input, key, size, row->data);
}

void
JoinInputCountCopy(JoinInput *input, const JoinRow *row)
{
	input->row_count++;
	input->token_count += row->count;
	if (input->kind->count_copy != NULL)
		input->kind->count_copy(input, row);
}

void
JoinInputFinish(JoinInput *input)
{
	JoinSpill *last = input->spills[input->spills[1] != NULL ? 1 : 0];

	if (last == NULL)
		return;
	JoinProgressPhase(PROGRESS_SORTING, JoinSpillRows(last));
	JoinSpillSort(last);
	if (input->vocabulary != NULL)
	{
		input->records.known.count = JoinVocabularyEnd(input->vocabulary);
		input->vocabulary = NULL;
	}
	if (input->kind->finish != NULL)
		input->kind->finish(input);
}

void
JoinInputAppendSpilled(JoinInput *input, const SpillRow *row)
{
	input->kind->keep(input, row);
	if (input->is_limited)
		MemoryEstimateAdd(&input->estimate, row->size);
	if (input->keys.is_integer)
		JoinKeysAppendInt64(&input->keys, DatumGetInt64(row->key));
	else
	{
		JoinKeysAppend(&input->keys, row->key);
		/* Ranks of keys that are compared take the place of these. */
		input->keys.file_rows[input->keys.count - 1] = (int64) row->number;
	}
}

void
JoinInputFree(JoinInput *input)
{
	for (int side = 0; side < 2; side++)
	{
		if (input->spills[side] != NULL)
			JoinSpillEnd(input->spills[side]);
	}
	if (input->kind->free != NULL)
		input->kind->free(input);
	JoinRecordsFree(&input->records);
	JoinKeysClear(&input->keys);
	MemoryContextDelete(input->context);
}
