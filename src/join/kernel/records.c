/*
 * records.c
 *		Collecting the records of a join.
 *
 * All tokens stand in one array, 4 bytes each; there is no allocation per
 * record. They are numbered in batches, which end within records: one record may have few.
 */
#include "c.h"

#include "join/kernel/records.h"

void
JoinRecordsInit(JoinRecords *records, JoinHost *host)
{
	memset(records, 0, sizeof(*records));
	records->host = host;
	records->first_right_row = PG_UINT32_MAX;
	TokenDictionaryInit(&records->dictionary, host);
}

static void
reserve_tokens(JoinRecords *records, uint32 additional)
{
	uint64 capacity = Max(records->token_capacity, 1024);

	if (records->token_capacity - records->token_count >= additional)
		return;
	while (capacity - records->token_count < additional)
		capacity += capacity / 2;
	records->tokens = JoinEnlarge(records->host, records->tokens, records->token_capacity, capacity,
								  sizeof(uint32));
	records->token_capacity = capacity;
}

static void
reserve_record(JoinRecords *records)
{
	uint32 capacity = Max(records->record_capacity, 256);

	if (records->record_count < records->record_capacity)
		return;
	if (records->record_capacity > 0)
		capacity = Min(capacity + (uint64) capacity / 2, JOIN_MAX_RECORDS);
	records->records = JoinEnlarge(records->host, records->records, records->record_capacity,
								   capacity, sizeof(JoinRecord));
	records->record_capacity = capacity;
}

void
JoinRecordsNumber(JoinRecords *records)
{
	if (records->arrived_count == 0)
		return;
	TokenDictionaryAdd(&records->dictionary, records->arrived, records->arrived_count,
					   records->tokens + records->token_count - records->arrived_count);
	records->arrived_count = 0;
}

/* Whether so many more tokens can be new. */
static bool
has_numbers_left(const JoinRecords *records, uint32 additional)
{
	return additional + records->arrived_count <=
		   DICTIONARY_MAX_TOKENS - records->dictionary.token_count;
}

/* Returns false where there would be too many distinct tokens. */
static bool
append_tokens(JoinRecords *records, const char *tokens, uint32 count)
{
	while (count > 0)
	{
		uint32 step = Min(count, DICTIONARY_BATCH - records->arrived_count);

		if (!has_numbers_left(records, step))
			JoinRecordsNumber(records);
		if (!has_numbers_left(records, step))
			return false;
		memcpy(records->arrived + records->arrived_count, tokens, step * sizeof(int64));
		records->arrived_count += step;
		records->token_count += step;
		if (records->arrived_count == DICTIONARY_BATCH)
			JoinRecordsNumber(records);
		tokens += step * sizeof(int64);
		count -= step;
	}
	return true;
}

bool
JoinRecordsAppend(JoinRecords *records, uint32 row, const void *tokens, uint32 count)
{
	uint64 offset = records->token_count;

	if (count == 0)
		return true;
	if (records->record_count == JOIN_MAX_RECORDS || count > JOIN_MAX_RECORD_SIZE)
		return false;
	reserve_record(records);
	reserve_tokens(records, count);
	if (!append_tokens(records, tokens, count))
		return false;
	records->records[records->record_count++] =
		(JoinRecord){.offset = offset, .size = count, .row = row};
	records->largest = Max(records->largest, count);
	return true;
}

void
JoinRecordsFree(JoinRecords *records)
{
	JoinHost *host = records->host;

	TokenDictionaryFree(&records->dictionary);
	JoinRelease(host, records->tokens, records->token_capacity, sizeof(uint32));
	JoinRelease(host, records->records, records->record_capacity, sizeof(JoinRecord));
	JoinRelease(host, records->values, records->distinct_tokens, sizeof(uint64));
	JoinRelease(host, records->repeats, JoinRecordsBitmapWords(records), sizeof(uint64));
	JoinRelease(host, records->class_sizes, records->class_count, sizeof(uint32));
	JoinRelease(host, records->class_starts, records->class_count + 1, sizeof(uint32));
}

uint32
JoinRecordsLowerBound(const JoinRecords *records, int64 size)
{
	uint32 low = 0;
	uint32 high = records->record_count;

	while (low < high)
	{
		uint32 middle = low + (high - low) / 2;

		if (records->records[middle].size < size)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
