/*
 * records.c
 *		Collecting the records of a join, and freeing them in any state.
 *
 * The dictionary looks tokens up in batches, so that the processor waits for many cache lines at
 * once. Records may be smaller than a batch or larger. Therefore tokens first go to a buffer, which
 * is handed to the dictionary whenever it is full; their ids go to the end of the array of ids.
 */
#include "c.h"

#include "bisect.h"
#include "kernel/records/records.h"

#define INITIAL_RECORDS 64
#define INITIAL_IDS 1024

void
JoinRecordsInit(JoinRecords *records, JoinHost *host)
{
	memset(records, 0, sizeof(*records));
	records->host = host;
	records->first_right_row = PG_UINT32_MAX;
	TokenDictionaryInit(&records->dictionary, host);
}

static Size
capacity_from(uint64 count, Size capacity)
{
	while (capacity < count)
		capacity = capacity / 2 * 3;
	return capacity;
}

Size
JoinRecordsArrivedBytes(uint64 record_count, uint64 token_count)
{
	return capacity_from(record_count, INITIAL_RECORDS) * sizeof(ArrivedRecord) +
		   capacity_from(token_count, INITIAL_IDS) * sizeof(uint32);
}

/* Ensures room for one more record of this size. */
static void
records_reserve(JoinRecords *records, uint32 size)
{
	JoinHost *host = records->host;
	uint64 ids = records->token_count + size;

	if (records->record_count == records->arrived_capacity)
	{
		uint32 capacity = Max(records->arrived_capacity / 2 * 3, INITIAL_RECORDS);

		records->arrived = JoinEnlarge(host, records->arrived, records->arrived_capacity, capacity,
									   sizeof(ArrivedRecord));
		records->arrived_capacity = capacity;
	}
	if (ids > records->id_capacity)
	{
		uint64 capacity = Max(Max(records->id_capacity / 2 * 3, ids), INITIAL_IDS);

		records->ids =
			JoinEnlarge(host, records->ids, records->id_capacity, capacity, sizeof(uint32));
		records->id_capacity = capacity;
	}
}

/* Gives the pending tokens ids after the known ones. */
static void
number_unknown(JoinRecords *records)
{
	uint32 ids[DICTIONARY_BATCH];

	TokenDictionaryAdd(&records->dictionary, records->pending, records->pending_count, ids);
	for (uint32 i = 0; i < records->pending_count; i++)
		records->ids[records->pending_places[i]] = records->known.count + ids[i];
	records->pending_count = 0;
}

void
JoinRecordsNumber(JoinRecords *records)
{
	if (records->pending_count == 0)
		return;
	if (records->known.count > 0)
	{
		number_unknown(records);
		return;
	}
	TokenDictionaryAdd(&records->dictionary, records->pending, records->pending_count,
					   records->ids + (records->token_count - records->pending_count));
	records->pending_count = 0;
}

/* Whether the dictionary has ids left even if all these tokens and the pending ones are new. */
static bool
has_numbers_left(const JoinRecords *records, uint32 additional)
{
	return additional + records->pending_count <=
		   DICTIONARY_MAX_TOKENS - records->known.count - records->dictionary.token_count;
}

/* Returns false if there may be too many distinct tokens. */
static bool
append_tokens(JoinRecords *records, const char *tokens, uint32 count)
{
	while (count > 0)
	{
		uint32 step = Min(count, DICTIONARY_BATCH - records->pending_count);

		if (!has_numbers_left(records, step))
			JoinRecordsNumber(records);
		if (!has_numbers_left(records, step))
			return false;
		memcpy(records->pending + records->pending_count, tokens, step * sizeof(int64));
		if (records->known.count > 0)
		{
			for (uint32 i = 0; i < step; i++)
				records->pending_places[records->pending_count + i] = records->token_count + i;
		}
		records->pending_count += step;
		records->token_count += step;
		if (records->pending_count == DICTIONARY_BATCH)
			JoinRecordsNumber(records);
		tokens += step * sizeof(int64);
		count -= step;
	}
	return true;
}

static bool
begin_record(JoinRecords *records, uint32 row, uint32 size)
{
	if (records->record_count == JOIN_MAX_RECORDS || size > JOIN_MAX_RECORD_SIZE)
		return false;
	records_reserve(records, size);
	records->arrived[records->record_count++] = (ArrivedRecord){.row = row, .size = size};
	records->largest = Max(records->largest, size);
	return true;
}

bool
JoinRecordsAppend(JoinRecords *records, uint32 row, const void *tokens, uint32 count)
{
	if (count == 0)
		return true;
	return begin_record(records, row, count) && append_tokens(records, tokens, count);
}

bool
JoinRecordsAppendKnown(JoinRecords *records, uint32 row, const uint32 *ids, uint32 id_count,
					   const void *tokens, uint32 count)
{
	if (id_count == 0)
		return JoinRecordsAppend(records, row, tokens, count);
	if (!begin_record(records, row, id_count + count))
		return false;
	memcpy(records->ids + records->token_count, ids, id_count * sizeof(uint32));
	KnownTokensCount(&records->known, records->host, ids, id_count);
	records->token_count += id_count;
	return append_tokens(records, tokens, count);
}

void
JoinRecordsCountCopy(JoinRecords *records, const void *tokens, uint32 count)
{
	int64 batch[DICTIONARY_BATCH];
	uint32 ids[DICTIONARY_BATCH];

	/* The tokens of the record that was added may be pending, and must not be taken for new ones. */
	JoinRecordsNumber(records);
	for (uint32 first = 0; first < count; first += DICTIONARY_BATCH)
	{
		uint32 step = Min(count - first, DICTIONARY_BATCH);

		memcpy(batch, (const char *) tokens + (Size) first * sizeof(int64), step * sizeof(int64));
		TokenDictionaryAdd(&records->dictionary, batch, step, ids);
	}
}

void
JoinRecordsTrim(JoinRecords *records)
{
	if (records->token_count == 0)
		return;
	records->ids = JoinEnlarge(records->host, records->ids, records->id_capacity,
							   records->token_count, sizeof(uint32));
	records->id_capacity = records->token_count;
}

void
JoinRecordsFreeArrived(JoinRecords *records)
{
	JoinRelease(records->host, records->arrived, records->arrived_capacity, sizeof(ArrivedRecord));
	JoinRelease(records->host, records->ids, records->id_capacity, sizeof(uint32));
	records->arrived = NULL;
	records->ids = NULL;
	records->arrived_capacity = 0;
	records->id_capacity = 0;
}

void
JoinRecordsFreeClasses(JoinRecords *records)
{
	JoinHost *host = records->host;

	JoinRelease(host, records->records, records->record_count, sizeof(JoinRecord));
	JoinRelease(host, records->totals, records->record_count, sizeof(int64));
	JoinRelease(host, records->tails, records->record_count, sizeof(RecordTail));
	JoinRelease(host, records->repeats, JoinRecordsBitmapWords(records), sizeof(uint32));
	JoinRelease(host, records->class_sizes, records->class_count, sizeof(uint32));
	JoinRelease(host, records->class_starts, records->class_count + 1, sizeof(uint32));
	JoinRelease(host, records->class_origins, records->class_count, sizeof(int64));
}

void
JoinRecordsFreeRanks(JoinRecords *records)
{
	JoinRelease(records->host, records->rank_of_id, records->id_count + 1, sizeof(uint32));
	records->rank_of_id = NULL;
}

void
JoinRecordsFree(JoinRecords *records)
{
	JoinHost *host = records->host;

	TokenDictionaryFree(&records->dictionary);
	KnownTokensFree(&records->known, host);
	JoinRecordsFreeArrived(records);
	JoinRecordsFreeRanks(records);
	JoinRelease(host, records->tokens, records->token_count, sizeof(uint32));
	JoinRelease(host, records->values, records->distinct_tokens, sizeof(uint64));
	JoinRelease(host, records->weights, records->distinct_tokens, sizeof(uint32));
	JoinRecordsFreeClasses(records);
}

void
JoinRecordsAdopt(JoinRecords *records, JoinHost *host, const char *leader_base)
{
	JoinAdoption adoption = {.leader_base = leader_base, .base = host->arena.base};

	records->host = host;
	JoinAdopt(adoption, &records->rank_of_id);
	JoinAdopt(adoption, &records->runs.order);
	JoinAdopt(adoption, &records->runs.tokens);
	JoinAdopt(adoption, &records->runs.rows);
	JoinAdopt(adoption, &records->tokens);
	JoinAdopt(adoption, &records->records);
	JoinAdopt(adoption, &records->repeats);
	JoinAdopt(adoption, &records->class_sizes);
	JoinAdopt(adoption, &records->class_starts);
	JoinAdopt(adoption, &records->class_origins);
	JoinAdopt(adoption, &records->values);
	JoinAdopt(adoption, &records->weights);
	JoinAdopt(adoption, &records->totals);
	JoinAdopt(adoption, &records->tails);
	JoinAdopt(adoption, &records->demand.roles);
	JoinAdopt(adoption, &records->demand.shared);
	records->demand.demand = NULL;
}

uint32
JoinRecordsLowerBound(const JoinRecords *records, int64 size)
{
	uint32 first = 0;

	BISECT(uint32, first, records->record_count, at, records->records[at].size < size);
	return first;
}
