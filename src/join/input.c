/*
 * input.c
 *		Collecting the rows of a join within a limit of memory.
 *
 * Rows are kept in memory while the whole join, with all that its later phases
 * will allocate, fits into the limit. When the next one would not, all rows go
 * to temporary files, one for each side, and those that follow as well.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "join/input.h"
#include "join/progress.h"

/* What tuplesort takes at least, in kilobytes. */
#define LEAST_SORT_MEMORY 64

/* Bytes before a set that are asked for. */
#define BYTES_AHEAD 512

/* Bytes that are allocated at once for keys by reference. */
#define LARGEST_KEY_BLOCK (32 * 1024)

void
JoinInputInit(JoinInput *input, MemoryContext context, JoinHost *host)
{
	memset(input, 0, sizeof(*input));
	input->context = AllocSetContextCreate(context, "neardup join rows", ALLOCSET_DEFAULT_SIZES);
	/* In blocks that are small enough not to exceed a limit by one that is hardly used. */
	input->key_context =
		AllocSetContextCreate(input->context, "neardup join keys", ALLOCSET_DEFAULT_MINSIZE,
							  ALLOCSET_DEFAULT_INITSIZE, LARGEST_KEY_BLOCK);
	JoinRecordsInit(&input->records, host);
}

void
JoinInputInitLike(JoinInput *input, const JoinInput *other, MemoryContext context)
{
	JoinInputInit(input, context, other->records.host);
	if (other->has_values)
		JoinInputTakeValues(input);
	input->records.buckets = other->records.buckets;
	input->keys = other->keys;
	input->keys.context = input->key_context;
	input->keys.count = input->keys.capacity = 0;
	input->keys.order = NULL;
	input->keys.values = NULL;
	input->keys_ready = true;
}

void
JoinInputLimit(JoinInput *input, const JoinLoad *load)
{
	input->is_limited = true;
	input->load = *load;
}

void
JoinInputTakeValues(JoinInput *input)
{
	HammingValuesInit(&input->values, input->records.host);
	input->has_values = true;
}

Size
JoinInputKeyBytes(const JoinInput *input)
{
	return MemoryContextMemAllocated(input->key_context, false);
}

int
JoinInputSortMemory(const JoinInput *input)
{
	return Max(input->load.limit / 1024 / 16, LEAST_SORT_MEMORY);
}

Size
JoinInputSortBytes(const JoinInput *input)
{
	Size sorts = (input->spills[0] != NULL) + (input->spills[1] != NULL);

	/* Those of rows, or one of keys. */
	if (sorts == 0 && !input->keys.is_integer)
		sorts = OidIsValid(input->keys.less_operator);
	return sorts * JoinInputSortMemory(input) * 1024;
}

/* Whether a row more can be joined within the limit, of which other bytes are taken. */
static bool
row_fits(JoinInput *input, Datum key, uint32 size, Size other_bytes)
{
	other_bytes += JoinInputKeyBytes(input) + JoinKeysArrayBytes(&input->keys) +
				   JoinKeysBytesOf(&input->keys, key);
	if (input->has_values)
		return HammingJoinBytes((Size) input->values.count + 1) + other_bytes <= input->load.limit;
	return JoinLoadFits(&input->load, &input->records, size, other_bytes);
}

/*
 * When rows go to files, they are sorted while they are still in memory: by which a
 * sort exceeds what the limit leaves for it, an eighth of all memory.
 */
static Size
sort_excess(const JoinInput *input)
{
	Size sort = (Size) JoinInputSortMemory(input) * 1024;

	return sort - Min(sort, input->load.limit / 7);
}

/* Integer keys of all types are written as bigint, since the sides' may differ. */
static JoinSpill *
begin_spill(JoinInput *input)
{
	Oid key_type = input->keys.is_integer ? INT8OID : input->keys.type;

	return JoinSpillBegin(input->context, key_type, JoinInputSortMemory(input));
}

/* The key of a row in memory, as the files have it. */
static Datum
key_of_row(const JoinInput *input, uint32 row)
{
	return input->keys.is_integer ? Int64GetDatum(input->keys.order[row]) : input->keys.values[row];
}

static void
forget_keys(JoinInput *input)
{
	input->spilled_key_bytes = JoinInputKeyBytes(input);
	JoinKeysClear(&input->keys);
	MemoryContextReset(input->key_context);
}

static void
begin_spills(JoinInput *input)
{
	input->spills[0] = begin_spill(input);
	if (input->records.two_sided)
		input->spills[1] = begin_spill(input);
}

/* Moves the values that are in memory to the files. */
static void
spill_values(JoinInput *input)
{
	begin_spills(input);
	for (uint32 row = 0; row < input->values.count; row++)
	{
		bool right = input->records.two_sided && row >= input->records.first_right_row;

		CHECK_FOR_INTERRUPTS();
		JoinSpillPut(input->spills[right ? 1 : 0], key_of_row(input, row), 1,
					 &input->values.values[row]);
	}
	HammingValuesFree(&input->values);
	forget_keys(input);
}

/* Moves the records that are in memory to the files. */
static void
spill_records(JoinInput *input)
{
	JoinRecords *records = &input->records;
	JoinHost *host = records->host;
	int64 *tokens = JoinAllocate(host, input->load.largest, sizeof(int64));
	JoinRecords empty;

	JoinRecordsNumber(records);
	begin_spills(input);
	for (uint32 i = 0; i < records->record_count; i++)
	{
		const JoinRecord *record = &records->records[i];
		const uint32 *ids = JoinRecordTokens(records, record);
		bool right = records->two_sided && !JoinRecordIsLeft(records, record);

		CHECK_FOR_INTERRUPTS();
		for (uint32 k = 0; k < record->size; k++)
		{
			JoinStrideTick(host, k);
			tokens[k] = records->dictionary.entries[ids[k]].token;
		}
		JoinSpillPut(input->spills[right ? 1 : 0], key_of_row(input, record->row), record->size,
					 tokens);
	}
	JoinRelease(host, tokens, input->load.largest, sizeof(int64));

	JoinRecordsInit(&empty, host);
	empty.two_sided = records->two_sided;
	empty.buckets = records->buckets;
	JoinRecordsFree(records);
	*records = empty;
	forget_keys(input);
}

void
JoinInputBeginRight(JoinInput *input)
{
	input->records.two_sided = true;
	input->records.first_right_row = input->keys.count;
	if (JoinInputIsSpilled(input))
		input->spills[1] = begin_spill(input);
}

/* At any alignment. */
static void
append_value(JoinInput *input, const void *token)
{
	uint64 value;

	if (input->values.count == JOIN_MAX_RECORDS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("similarity join is too large"),
				 errdetail("A join holds at most %u values.", JOIN_MAX_RECORDS)));
	memcpy(&value, token, sizeof(value));
	HammingValuesAppend(&input->values, value);
}

static void
append_in_memory(JoinInput *input, uint32 count, const void *tokens)
{
	if (input->has_values)
	{
		append_value(input, tokens);
		return;
	}
	if (!JoinRecordsAppend(&input->records, input->keys.count, tokens, count))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("similarity join is too large"),
				 errdetail("A join holds at most %u records of at most %u tokens, and %u "
						   "distinct tokens.",
						   JOIN_MAX_RECORDS, JOIN_MAX_RECORD_SIZE, DICTIONARY_MAX_TOKENS)));
	if (input->is_limited)
		JoinLoadAdd(&input->load, count);
}

/*
 * Rows of a heap page are read from its end to its beginning, so what comes next lies
 * before this one. While its tokens are numbered, that is brought into the caches. An
 * address that has no memory does no harm.
 */
static inline void
ask_for_next_rows(const void *tokens)
{
	for (int bytes = 64; bytes <= BYTES_AHEAD; bytes += 64)
		__builtin_prefetch((const char *) tokens - bytes);
}

/* The key as the files have it. */
static Datum
spilled_key(const JoinInput *input, Datum key)
{
	if (!input->keys.is_integer)
		return key;
	return Int64GetDatum(JoinKeysInteger(&input->keys, key));
}

void
JoinInputAppend(JoinInput *input, Datum key, const void *tokens, Size count)
{
	input->row_count++;
	input->token_count += count;
	if (count == 0)
		return;
	ask_for_next_rows(tokens);
	/* A set of more tokens is refused by the records. */
	count = Min(count, (Size) JOIN_MAX_RECORD_SIZE + 1);
	input->largest = Max(input->largest, count);
	if (input->is_limited && !JoinInputIsSpilled(input) &&
		!row_fits(input, key, count, sort_excess(input)))
	{
		if (input->has_values)
			spill_values(input);
		else
			spill_records(input);
	}
	if (JoinInputIsSpilled(input))
	{
		JoinSpillPut(input->spills[input->records.two_sided ? 1 : 0], spilled_key(input, key),
					 count, tokens);
		return;
	}
	append_in_memory(input, count, tokens);
	JoinKeysAppend(&input->keys, key);
}

void
JoinInputFinish(JoinInput *input)
{
	uint64 rows = 0;

	if (!JoinInputIsSpilled(input))
		return;
	for (int side = 0; side < 2; side++)
	{
		if (input->spills[side] != NULL)
			rows += JoinSpillRows(input->spills[side]);
	}
	JoinProgressPhase(PROGRESS_SORTING, rows);
	for (int side = 0; side < 2; side++)
	{
		if (input->spills[side] != NULL)
			JoinSpillSort(input->spills[side]);
	}
}

bool
JoinInputFits(JoinInput *input, const SpillRow *row)
{
	return row_fits(input, row->key, row->size, 0);
}

void
JoinInputAppendSpilled(JoinInput *input, const SpillRow *row)
{
	append_in_memory(input, row->size, row->tokens);
	if (input->keys.is_integer)
		JoinKeysAppendInt64(&input->keys, DatumGetInt64(row->key));
	else
		JoinKeysAppend(&input->keys, row->key);
}

void
JoinInputFree(JoinInput *input)
{
	for (int side = 0; side < 2; side++)
	{
		if (input->spills[side] != NULL)
			JoinSpillEnd(input->spills[side]);
	}
	HammingValuesFree(&input->values);
	JoinRecordsFree(&input->records);
	JoinKeysClear(&input->keys);
	MemoryContextDelete(input->context);
}
