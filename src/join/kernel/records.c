/*
 * records.c
 *		Collecting and canonicalizing the records of a join.
 *
 * All tokens stand in one array, 4 bytes each, in the order in which the
 * probe will walk over the records; there is no allocation per record.
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

bool
JoinRecordsAppend(JoinRecords *records, uint32 row, const void *tokens, uint32 count)
{
	JoinRecord *record;

	if (count == 0)
		return true;
	if (records->record_count == JOIN_MAX_RECORDS || count > JOIN_MAX_RECORD_SIZE)
		return false;
	reserve_record(records);
	reserve_tokens(records, count);
	if (!TokenDictionaryAddRecord(&records->dictionary, tokens, count,
								  records->tokens + records->token_count))
		return false;

	record = &records->records[records->record_count++];
	record->offset = records->token_count;
	record->size = count;
	record->size_class = 0;
	record->row = row;
	records->token_count += count;
	return true;
}

static inline int
compare_ranks(const uint32 *a, const uint32 *b, JoinHost *host)
{
	JoinTick(host, 1);
	return *a < *b ? -1 : *a > *b;
}

#define ST_SORT sort_ranks
#define ST_ELEMENT_TYPE uint32
#define ST_COMPARE(a, b, host) compare_ranks(a, b, host)
#define ST_COMPARE_ARG_TYPE JoinHost
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* Turns ids into ranks and sorts each record by them. */
static void
rank_tokens(JoinRecords *records)
{
	JoinHost *host = records->host;
	uint32 distinct = records->dictionary.token_count;
	uint32 *rank_of_id = JoinAllocate(host, distinct, sizeof(uint32));

	records->first_shared_token = TokenDictionaryRank(&records->dictionary, rank_of_id);
	TokenDictionaryFree(&records->dictionary);
	records->distinct_tokens = distinct;

	for (uint64 i = 0; i < records->token_count; i++)
	{
		JoinTick(host, 1);
		records->tokens[i] = rank_of_id[records->tokens[i]];
	}
	JoinRelease(host, rank_of_id, distinct, sizeof(uint32));

	for (uint32 i = 0; i < records->record_count; i++)
		sort_ranks(records->tokens + records->records[i].offset, records->records[i].size, host);
}

/* (size, content, row): the one order that Lemma 3 needs, over both sides of a join. */
static inline int
compare_records(const JoinRecord *a, const JoinRecord *b, const JoinRecords *records)
{
	const uint32 *x = JoinRecordTokens(records, a);
	const uint32 *y = JoinRecordTokens(records, b);

	uint32 i = 0;

	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	while (i < a->size && x[i] == y[i])
		i++;
	JoinTick(records->host, i + 1);
	if (i < a->size)
		return x[i] < y[i] ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

#define ST_SORT sort_records
#define ST_ELEMENT_TYPE JoinRecord
#define ST_COMPARE(a, b, records) compare_records(a, b, records)
#define ST_COMPARE_ARG_TYPE JoinRecords
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* Moves the tokens to where the order of records wants them. */
static void
place_tokens(JoinRecords *records)
{
	JoinHost *host = records->host;
	uint32 *tokens = JoinAllocate(host, records->token_count, sizeof(uint32));
	uint64 offset = 0;

	for (uint32 i = 0; i < records->record_count; i++)
	{
		JoinRecord *record = &records->records[i];

		JoinTick(host, record->size);
		memcpy(tokens + offset, JoinRecordTokens(records, record), record->size * sizeof(uint32));
		record->offset = offset;
		offset += record->size;
	}
	JoinRelease(host, records->tokens, records->token_capacity, sizeof(uint32));
	records->tokens = tokens;
	records->token_capacity = records->token_count;
}

static void
number_size_classes(JoinRecords *records)
{
	JoinRecord *all = records->records;
	uint32 count = 0;

	for (uint32 i = 0; i < records->record_count; i++)
	{
		count += i == 0 || all[i].size != all[i - 1].size;
		all[i].size_class = count - 1;
	}
	records->class_count = count;
	records->class_sizes = JoinAllocate(records->host, count, sizeof(uint32));
	for (uint32 i = 0; i < records->record_count; i++)
		records->class_sizes[all[i].size_class] = all[i].size;
}

void
JoinRecordsCanonicalize(JoinRecords *records)
{
	rank_tokens(records);
	sort_records(records->records, records->record_count, records);
	place_tokens(records);
	number_size_classes(records);
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
