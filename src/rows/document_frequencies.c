/*
 * document_frequencies.c
 *		Counting tokens beyond memory.
 *
 * A dictionary counts tokens until it is full, and hands its counts to a sort by token; equal
 * tokens meet in the sorted counts. The result is a file of tokens in ascending order, without
 * tokens of a single row. A part of the rows looks its own tokens up by sorting them, and reading
 * through the file once. The rows are weighed in the same way, as many at a time as the dictionary
 * holds.
 */
#include "postgres.h"

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/tuplesort.h"

#include "compat.h"
#include "rows/document_frequencies.h"
#include "rows/record_file.h"
#include "kernel/records/key_sort.h"
#include "measure/token_weight.h"

#define COLUMNS 2

typedef struct CountedToken
{
	int64 token;
	int64 count;
} CountedToken;

struct JoinFrequencies
{
	MemoryContext context;
	JoinHost *host;
	Size limit;
	TokenDictionary dictionary;
	Tuplesortstate *sort;
	TupleTableSlot *slot;
	int64 sort_bytes; /* that the sort has written */

	RecordFile counted; /* CountedTokens, ascending */
	uint64 next;		/* which of them is read next */
};

JoinFrequencies *
JoinFrequenciesBegin(MemoryContext context, JoinHost *host, Size limit, int sort_memory)
{
	MemoryContext previous = MemoryContextSwitchTo(context);
	JoinFrequencies *frequencies = palloc0(sizeof(JoinFrequencies));
	TupleDesc columns = CreateTemplateTupleDesc(COLUMNS);
	AttrNumber column = 1;
	Oid less_operator = Int8LessOperator;
	Oid collation = InvalidOid;
	bool nulls_first = false;

	frequencies->context = context;
	frequencies->host = host;
	frequencies->limit = limit;
	TokenDictionaryInit(&frequencies->dictionary, host);
	RecordFileInit(&frequencies->counted, context, sizeof(CountedToken), 0);
	TupleDescInitEntry(columns, 1, "token", INT8OID, -1, 0);
	TupleDescInitEntry(columns, 2, "count", INT8OID, -1, 0);
	nd_finish_tuple_desc(columns);
	frequencies->slot = MakeSingleTupleTableSlot(columns, &TTSOpsVirtual);
	frequencies->sort = tuplesort_begin_heap(columns, 1, &column, &less_operator, &collation,
											 &nulls_first, sort_memory, NULL, TUPLESORT_NONE);
	MemoryContextSwitchTo(previous);
	return frequencies;
}

void
JoinFrequenciesAddAll(JoinFrequencies *frequencies, const TokenDictionary *dictionary)
{
	MemoryContext previous = MemoryContextSwitchTo(frequencies->context);
	TupleTableSlot *slot = frequencies->slot;

	for (uint32 id = 1; id <= dictionary->token_count; id++)
	{
		int64 frequency = dictionary->entries[id].document_frequency;

		CHECK_FOR_INTERRUPTS();
		ExecClearTuple(slot);
		slot->tts_values[0] = nd_int64_datum(&dictionary->entries[id].token);
		slot->tts_values[1] = nd_int64_datum(&frequency);
		memset(slot->tts_isnull, 0, COLUMNS * sizeof(bool));
		ExecStoreVirtualTuple(slot);
		tuplesort_puttupleslot(frequencies->sort, slot);
	}
	MemoryContextSwitchTo(previous);
}

static void
empty_dictionary(JoinFrequencies *frequencies)
{
	JoinFrequenciesAddAll(frequencies, &frequencies->dictionary);
	TokenDictionaryFree(&frequencies->dictionary);
}

static bool
frequencies_have_room(const JoinFrequencies *frequencies, uint32 count)
{
	const TokenDictionary *dictionary = &frequencies->dictionary;

	if (!TokenDictionaryWouldGrow(dictionary, count))
		return true;
	return dictionary->token_count <= DICTIONARY_MAX_TOKENS - count &&
		   frequencies->host->bytes + TokenDictionaryGrowthBytes(dictionary) <= frequencies->limit;
}

/* Sets the ids of the next tokens from number `done` on; returns how many these are. */
static uint32
number_some(TokenDictionary *dictionary, const void *tokens, uint32 count, uint32 done, uint32 *ids)
{
	int64 batch[DICTIONARY_BATCH];
	uint32 some = Min(count - done, DICTIONARY_BATCH);

	memcpy(batch, (const char *) tokens + (Size) done * sizeof(int64), some * sizeof(int64));
	TokenDictionaryAdd(dictionary, batch, some, ids);
	return some;
}

static void
number_tokens(TokenDictionary *dictionary, const void *tokens, uint32 count)
{
	uint32 ids[DICTIONARY_BATCH];

	for (uint32 done = 0; done < count;)
		done += number_some(dictionary, tokens, count, done, ids);
}

void
JoinFrequenciesAdd(JoinFrequencies *frequencies, const void *tokens, uint32 count)
{
	TokenDictionary *dictionary = &frequencies->dictionary;

	if (dictionary->token_count > 0 && !frequencies_have_room(frequencies, count))
	{
		empty_dictionary(frequencies);
		TokenDictionaryInit(dictionary, frequencies->host);
	}
	number_tokens(dictionary, tokens, count);
}

static void
write_counted(JoinFrequencies *frequencies, CountedToken counted)
{
	if (counted.count > 1)
		*(CountedToken *) RecordFilePut(&frequencies->counted) = counted;
}

static void
write_sorted(JoinFrequencies *frequencies)
{
	TupleTableSlot *slot =
		MakeSingleTupleTableSlot(frequencies->slot->tts_tupleDescriptor, &TTSOpsMinimalTuple);
	CountedToken counted = {0, 0};
	bool isnull;

	while (tuplesort_gettupleslot(frequencies->sort, true, false, slot, NULL))
	{
		int64 token = DatumGetInt64(slot_getattr(slot, 1, &isnull));

		CHECK_FOR_INTERRUPTS();
		if (token != counted.token)
		{
			write_counted(frequencies, counted);
			counted = (CountedToken){token, 0};
		}
		counted.count += DatumGetInt64(slot_getattr(slot, 2, &isnull));
	}
	write_counted(frequencies, counted);
	ExecDropSingleTupleTableSlot(slot);
}

void
JoinFrequenciesFinish(JoinFrequencies *frequencies)
{
	MemoryContext previous = MemoryContextSwitchTo(frequencies->context);
	TuplesortInstrumentation stats;

	empty_dictionary(frequencies);
	tuplesort_performsort(frequencies->sort);
	write_sorted(frequencies);
	tuplesort_get_stats(frequencies->sort, &stats);
	if (stats.spaceType == SORT_SPACE_TYPE_DISK)
		frequencies->sort_bytes = stats.spaceUsed * 1024;
	tuplesort_end(frequencies->sort);
	frequencies->sort = NULL;
	MemoryContextSwitchTo(previous);
}

/* Returns the first entry of this token or a greater one; NULL at the end. */
static const CountedToken *
read_from(JoinFrequencies *frequencies, int64 token)
{
	for (; frequencies->next < frequencies->counted.count; frequencies->next++)
	{
		const CountedToken *counted = RecordFileAt(&frequencies->counted, frequencies->next);

		if (counted->token >= token)
			return counted;
	}
	return NULL;
}

/* Returns an unsigned number; these numbers are in the order of the signed tokens. */
static uint64
key_of_token(int64 token)
{
	return (uint64) token ^ UINT64CONST(1) << 63;
}

void
JoinFrequenciesSet(JoinFrequencies *frequencies, TokenDictionary *dictionary)
{
	JoinHost *host = frequencies->host;
	DictionaryEntry *entries = dictionary->entries;
	uint32 count = dictionary->token_count;
	KeyedItem *items = JoinAllocate(host, count, sizeof(KeyedItem));

	for (uint32 i = 0; i < count; i++)
	{
		JoinTick(host, 1);
		items[i] = (KeyedItem){.key = key_of_token(entries[i + 1].token), .item = i + 1};
	}
	KeySort(items, count, NULL, NULL, host);
	frequencies->next = 0;
	for (uint32 i = 0; i < count; i++)
	{
		DictionaryEntry *entry = &entries[items[i].item];
		const CountedToken *counted = read_from(frequencies, entry->token);
		bool is_found = counted != NULL && counted->token == entry->token;

		JoinTick(host, 1);
		entry->document_frequency = is_found ? (uint32) Min(counted->count, PG_UINT32_MAX) : 1;
	}
	JoinRelease(host, items, count, sizeof(KeyedItem));
}

/* Numbers the tokens of as many of the next rows as fit; returns the number of rows. */
static uint64
number_rows(JoinFrequencies *frequencies, JoinSpill *from)
{
	TokenDictionary *dictionary = &frequencies->dictionary;
	uint64 count = 0;
	SpillRow row;

	while (JoinSpillNext(from, &row))
	{
		CHECK_FOR_INTERRUPTS();
		if (count > 0 && !frequencies_have_room(frequencies, row.size))
			break;
		number_tokens(dictionary, row.tokens, row.size);
		count++;
	}
	return count;
}

/* Returns, by id, what a token adds to the total weight of a row. */
static int64 *
terms_by_id(JoinFrequencies *frequencies, JoinWeighing weighing)
{
	const TokenDictionary *dictionary = &frequencies->dictionary;
	int64 *terms =
		JoinAllocate(frequencies->host, (Size) dictionary->token_count + 1, sizeof(int64));

	for (uint32 id = 1; id <= dictionary->token_count; id++)
	{
		uint32 frequency = dictionary->entries[id].document_frequency;

		JoinTick(frequencies->host, 1);
		terms[id] =
			TokenWeightTerm(TokenWeight(weighing.record_count, frequency), weighing.squares);
	}
	return terms;
}

static int64
total_of_row(TokenDictionary *dictionary, const int64 *terms, const SpillRow *row)
{
	uint32 ids[DICTIONARY_BATCH];
	int64 total = 0;

	for (uint32 done = 0; done < row->size;)
	{
		uint32 some = number_some(dictionary, row->tokens, row->size, done, ids);

		for (uint32 k = 0; k < some; k++)
			total += terms[ids[k]];
		done += some;
	}
	return total;
}

static void
weigh_numbered(JoinFrequencies *frequencies, JoinWeighing weighing, JoinSpill *from, JoinSpill *to,
			   uint64 count)
{
	TokenDictionary *dictionary = &frequencies->dictionary;
	uint32 token_count = dictionary->token_count;
	int64 *terms;
	SpillRow row;

	JoinFrequenciesSet(frequencies, dictionary);
	terms = terms_by_id(frequencies, weighing);
	for (; count > 0 && JoinSpillNext(from, &row); count--)
	{
		CHECK_FOR_INTERRUPTS();
		row.measured = total_of_row(dictionary, terms, &row);
		JoinSpillPut(to, &row);
	}
	JoinRelease(frequencies->host, terms, (Size) token_count + 1, sizeof(int64));
}

void
JoinFrequenciesWeigh(JoinFrequencies *frequencies, JoinWeighing weighing, JoinSpill *from,
					 JoinSpill *to)
{
	SpillMark mark = {0};

	for (;;)
	{
		uint64 count;

		JoinSpillSeek(from, mark);
		TokenDictionaryInit(&frequencies->dictionary, frequencies->host);
		count = number_rows(frequencies, from);
		if (count > 0)
		{
			SpillMark next = JoinSpillTell(from);

			JoinSpillSeek(from, mark);
			weigh_numbered(frequencies, weighing, from, to, count);
			mark = next;
		}
		TokenDictionaryFree(&frequencies->dictionary);
		if (count == 0)
			return;
	}
}

int64
JoinFrequenciesBytes(const JoinFrequencies *frequencies)
{
	return frequencies->sort_bytes + frequencies->counted.file_bytes;
}

void
JoinFrequenciesEnd(JoinFrequencies *frequencies)
{
	if (frequencies->sort != NULL)
		tuplesort_end(frequencies->sort);
	RecordFileEnd(&frequencies->counted);
	TokenDictionaryFree(&frequencies->dictionary);
	ExecDropSingleTupleTableSlot(frequencies->slot);
}
