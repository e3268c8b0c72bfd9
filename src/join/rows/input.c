/*
 * input.c
 *		Collecting the rows of a join within a limit of memory.
 *
 * Rows stay in memory while the whole join, with its later phases, fits the limit. When the next
 * row would not, all rows go to temporary files, one for each side.
 */
#include "postgres.h"

#include <limits.h>

#include "catalog/pg_type.h"
#include "executor/nodeHash.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/memutils.h"

#include "kernel/engines.h"
#include "measure/token_weight.h"
#include "join/rows/input.h"
#include "join/memory/pages.h"
#include "join/progress/progress.h"
#include "text/unicode.h"

/* The limit by the memory for sorting and files. */
#define LIMIT_BY_SORTING 7

/* Kilobytes that tuplesort needs. */
#define LEAST_SORT_MEMORY 64

/* The part of the memory that counts tokens while rows are written to files. */
#define PART_OF_FREQUENCIES 2

/* Buffers of both sides' files. */
#define FILE_BYTES ((Size) 2 * BLCKSZ)

/* Prefetch distance, in bytes. */
#define BYTES_AHEAD 1024

/* Small, since the limit counts a block that is hardly used. */
#define LARGEST_KEY_BLOCK (32 * 1024)

void
JoinInputInit(JoinInput *input, MemoryContext context, JoinHost *host)
{
	memset(input, 0, sizeof(*input));
	input->context = AllocSetContextCreate(context, "neardup join rows", ALLOCSET_SMALL_SIZES);
	input->key_context =
		AllocSetContextCreate(input->context, "neardup join keys", ALLOCSET_SMALL_MINSIZE,
							  ALLOCSET_SMALL_INITSIZE, LARGEST_KEY_BLOCK);
	JoinRecordsInit(&input->records, host);
}

void
JoinInputInitLike(JoinInput *input, const JoinInput *other, MemoryContext context)
{
	JoinInputInit(input, context, other->records.host);
	if (other->has_values)
		JoinInputTakeValues(input);
	if (other->has_texts)
		JoinInputTakeTexts(input);
	input->texts.has_groups = other->texts.has_groups;
	input->records.buckets = other->records.buckets;
	input->records.weighing = other->records.weighing;
	input->keys = other->keys;
	input->keys.context = input->key_context;
	input->keys.count = input->keys.capacity = 0;
	input->keys.order = NULL;
	input->keys.values = NULL;
	input->keys_ready = true;
}

Size
JoinInputMemory(void)
{
	return get_hash_memory_limit() / (LIMIT_BY_SORTING + 1) * LIMIT_BY_SORTING;
}

Size
JoinInputPartMemory(const JoinInput *input, Size other_bytes)
{
	Size memory = get_hash_memory_limit();
	Size beside = JoinInputFileBytes(input) + other_bytes;

	if (OidIsValid(input->keys.less_operator))
		return JoinInputMemory();
	return Max(memory - Min(beside, memory), JoinInputMemory());
}

void
JoinInputLimit(JoinInput *input, Predicate predicate, JoinAlgorithm algorithm, Size limit)
{
	input->is_limited = true;
	MemoryEstimateInit(&input->estimate, predicate, JoinEngineBytes(algorithm), limit);
}

void
JoinInputRaiseLimit(JoinInput *input, Size limit)
{
	input->estimate.limit = limit;
	input->estimate.slack = 0;
}

void
JoinInputTakeValues(JoinInput *input)
{
	HammingValuesInit(&input->values, input->records.host);
	input->has_values = true;
}

void
JoinInputTakeTexts(JoinInput *input)
{
	EditTextsInit(&input->texts, input->records.host);
	input->has_texts = true;
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
	if (input->frequencies != NULL)
		bytes += (Size) JoinInputSortMemory(input) * 1024;
	return bytes + input->spilled_key_bytes + (Size) JoinInputSortMemory(input) * 1024 + FILE_BYTES;
}

/* As of EditVerifier, the longest text is prepared for comparisons. */
static bool
text_fits(const JoinInput *input, uint32 size)
{
	const MemoryEstimate *estimate = &input->estimate;
	Size bytes = (estimate->token_count + size) * EDIT_BYTES_PER_CHARACTER +
				 (estimate->record_count + 1) * EDIT_BYTES_PER_TEXT + JoinInputKeyBytes(input) +
				 Max(input->largest, size) * (sizeof(EditBlock) / EDIT_BLOCK_ROWS);

	return bytes <= estimate->limit;
}

static inline bool
row_fits(JoinInput *input, uint32 size)
{
	if (input->has_texts)
		return text_fits(input, size);
	return MemoryEstimateFits(&input->estimate, &input->records, size,
							  JoinKeysArrayBytes(&input->keys), JoinInputKeyBytes(input));
}

/* Integer keys are written as bigint: types of the two sides may differ. */
static JoinSpill *
begin_spill(JoinInput *input)
{
	Oid key_type = input->keys.is_integer ? INT8OID : input->keys.type;

	return JoinSpillBegin(input->context, key_type, JoinInputSortMemory(input));
}

/* As the files have it. */
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

/* One sort at a time. Progress counts that of the left side as reading. */
static void
begin_right_spill(JoinInput *input)
{
	JoinSpillSort(input->spills[0]);
	input->spills[1] = begin_spill(input);
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

/* Weights are not known before all rows are: rows are weighed at the end. */
static void
put_row(const JoinInput *input, JoinSpill *spill, Datum key, uint32 size, const void *tokens)
{
	SpillRow row = {.key = key,
					.size = size,
					.measured = input->records.weighing.is_weighted ? 0 : size,
					.tokens = tokens};

	JoinSpillPut(spill, &row);
}

static void
spill_values(JoinInput *input)
{
	for (uint32 row = 0; row < input->values.count; row++)
	{
		CHECK_FOR_INTERRUPTS();
		put_row(input, spill_of_row(input, row), key_of_row(input, row), 1,
				&input->values.values[row]);
	}
	HammingValuesFree(&input->values);
	forget_keys(input);
}

/* A row of the file has the group, then the characters. */
static void
spill_text(JoinInput *input, JoinSpill *spill, Datum key, const uint32 *characters, uint32 length,
		   uint64 group)
{
	JoinHost *host = input->texts.host;
	int64 *tokens = JoinAllocate(host, (Size) length + 1, sizeof(int64));

	tokens[0] = (int64) group;
	for (uint32 i = 0; i < length; i++)
	{
		JoinStrideTick(host, i);
		tokens[i + 1] = characters[i];
	}
	put_row(input, spill, key, length + 1, tokens);
	JoinRelease(host, tokens, (Size) length + 1, sizeof(int64));
}

static void
spill_texts(JoinInput *input)
{
	const EditTexts *texts = &input->texts;

	for (uint32 row = 0; row < texts->count; row++)
	{
		uint32 length;
		const uint32 *characters = EditTextsRow(texts, row, &length);

		CHECK_FOR_INTERRUPTS();
		spill_text(input, spill_of_row(input, row), key_of_row(input, row), characters, length,
				   texts->has_groups ? texts->groups[row] : 0);
	}
	EditTextsFree(&input->texts);
	forget_keys(input);
}

/* From the records' own. */
static void
count_frequencies(JoinInput *input)
{
	input->frequencies = JoinFrequenciesBegin(input->context, input->records.host,
											  input->estimate.limit / PART_OF_FREQUENCIES,
											  JoinInputSortMemory(input));
	JoinFrequenciesAddAll(input->frequencies, &input->records.dictionary);
}

static void
spill_records(JoinInput *input)
{
	JoinRecords *records = &input->records;
	JoinHost *host = records->host;
	int64 *tokens = JoinAllocate(host, records->largest, sizeof(int64));
	const uint32 *ids = records->ids;
	JoinRecords empty;

	JoinRecordsNumber(records);
	for (uint32 i = 0; i < records->record_count; i++)
	{
		ArrivedRecord record = records->arrived[i];

		CHECK_FOR_INTERRUPTS();
		for (uint32 k = 0; k < record.size; k++)
		{
			JoinStrideTick(host, k);
			tokens[k] = records->dictionary.entries[*ids++].token;
		}
		put_row(input, spill_of_row(input, record.row), key_of_row(input, record.row), record.size,
				tokens);
	}
	JoinRelease(host, tokens, records->largest, sizeof(int64));
	if (records->weighing.is_weighted)
		count_frequencies(input);

	JoinRecordsInit(&empty, host);
	empty.two_sided = records->two_sided;
	empty.buckets = records->buckets;
	empty.weighing = records->weighing;
	JoinRecordsFree(records);
	*records = empty;
	forget_keys(input);
}

static void
spill(JoinInput *input)
{
	input->spills[0] = begin_spill(input);
	if (input->has_values)
		spill_values(input);
	else if (input->has_texts)
		spill_texts(input);
	else
		spill_records(input);
	if (input->records.two_sided && input->spills[1] == NULL)
		begin_right_spill(input);
}

void
JoinInputBeginRight(JoinInput *input)
{
	input->records.two_sided = true;
	input->records.first_right_row = input->keys.count;
	/* Two sides take more memory. */
	input->estimate.slack = 0;
	if (JoinInputIsSpilled(input))
		begin_right_spill(input);
}

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

/* As spill_text writes it. */
static void
append_spilled_text(JoinInput *input, uint32 count, const void *tokens)
{
	uint32 length = count - 1;
	uint32 *characters = EditTextsReserve(&input->texts, length);
	int64 token;

	for (uint32 i = 0; i < length; i++)
	{
		JoinStrideTick(input->texts.host, i);
		memcpy(&token, (const char *) tokens + (i + 1) * sizeof(int64), sizeof(int64));
		characters[i] = (uint32) token;
	}
	memcpy(&token, tokens, sizeof(int64));
	EditTextsAppend(&input->texts, length, (uint64) token);
}

static pg_attribute_always_inline void
append_in_memory(JoinInput *input, uint32 count, const void *tokens)
{
	if (input->has_values)
		append_value(input, tokens);
	else if (input->has_texts)
		append_spilled_text(input, count, tokens);
	else if (!JoinRecordsAppend(&input->records, input->keys.count, tokens, count))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("similarity join is too large"),
				 errdetail("A join holds at most %u records of at most %u tokens, and %u "
						   "distinct tokens.",
						   JOIN_MAX_RECORDS, JOIN_MAX_RECORD_SIZE, DICTIONARY_MAX_TOKENS)));
	if (input->is_limited)
		MemoryEstimateAdd(&input->estimate, count);
}

/*
 * A heap page is read from its end, so the next rows lie before this one. Prefetching an unmapped
 * address does no harm.
 */
static inline void
ask_for_next_rows(const void *tokens)
{
	for (int bytes = 64; bytes <= BYTES_AHEAD; bytes += 64)
		__builtin_prefetch((const char *) tokens - bytes);
}

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
	/* Larger sets are refused below. */
	count = Min(count, (Size) JOIN_MAX_RECORD_SIZE + 1);
	if (input->records.weighing.is_weighted && count > TOKEN_WEIGHT_MAX_SET)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("set is too large for a weighted measure"),
						errdetail("It has %zu tokens, and may have at most %d.", count,
								  TOKEN_WEIGHT_MAX_SET)));
	input->largest = Max(input->largest, count);
	if (input->is_limited && !JoinInputIsSpilled(input) && !row_fits(input, count))
		spill(input);
	if (JoinInputIsSpilled(input))
	{
		put_row(input, input->spills[input->records.two_sided ? 1 : 0], spilled_key(input, key),
				count, tokens);
		if (input->frequencies != NULL)
			JoinFrequenciesAdd(input->frequencies, tokens, count);
		return;
	}
	append_in_memory(input, count, tokens);
	JoinKeysAppend(&input->keys, key);
}

/* Returns the number of characters, in room of the texts that none has taken. */
static uint32
decode_text(JoinInput *input, ByteSpan utf8, uint32 **characters)
{
	const uint8 *byte = (const uint8 *) utf8.data;
	const uint8 *end = byte + utf8.length;
	uint32 length = 0;

	*characters = EditTextsReserve(&input->texts, (uint32) utf8.length);
	while (byte < end)
	{
		int32 character;

		JoinTick(input->texts.host, 1);
		byte += Utf8Decode(byte, end, &character);
		(*characters)[length++] = (uint32) character;
	}
	return length;
}

void
JoinInputAppendText(JoinInput *input, Datum key, ByteSpan utf8, uint64 group)
{
	uint32 *characters;
	uint32 length = decode_text(input, utf8, &characters);

	input->row_count++;
	input->token_count += length;
	if (!JoinInputIsSpilled(input) && !row_fits(input, length + 1))
	{
		spill(input);
		length = decode_text(input, utf8, &characters);
	}
	input->largest = Max(input->largest, length + 1);
	if (JoinInputIsSpilled(input))
	{
		spill_text(input, input->spills[input->records.two_sided ? 1 : 0], spilled_key(input, key),
				   characters, length, group);
		return;
	}
	if (input->texts.count == JOIN_MAX_RECORDS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("similarity join is too large"),
				 errdetail("A join holds at most %u texts.", JOIN_MAX_RECORDS)));
	EditTextsAppend(&input->texts, length, group);
	MemoryEstimateAdd(&input->estimate, length + 1);
	JoinKeysAppend(&input->keys, key);
}

static void
weigh_rows(JoinInput *input)
{
	JoinWeighing weighing = input->records.weighing;

	JoinFrequenciesFinish(input->frequencies);
	weighing.record_count = input->row_count;
	for (int side = 0; side < 2 && input->spills[side] != NULL; side++)
	{
		JoinSpill *unweighed = input->spills[side];

		input->spills[side] = begin_spill(input);
		input->unweighed_bytes += JoinSpillBytes(unweighed);
		JoinFrequenciesWeigh(input->frequencies, weighing, unweighed, input->spills[side]);
		JoinSpillEnd(unweighed);
		JoinSpillSort(input->spills[side]);
	}
}

void
JoinInputFinish(JoinInput *input)
{
	JoinSpill *last = input->spills[input->spills[1] != NULL ? 1 : 0];

	if (last == NULL)
		return;
	JoinProgressPhase(PROGRESS_SORTING, JoinSpillRows(last));
	JoinSpillSort(last);
	if (input->frequencies != NULL)
		weigh_rows(input);
	JoinHeapGiveBack();
}

bool
JoinInputFits(JoinInput *input, const SpillRow *row)
{
	return row_fits(input, row->size);
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
	if (input->frequencies != NULL)
		JoinFrequenciesEnd(input->frequencies);
	HammingValuesFree(&input->values);
	if (input->has_texts)
		EditTextsFree(&input->texts);
	JoinRecordsFree(&input->records);
	JoinKeysClear(&input->keys);
	MemoryContextDelete(input->context);
}
