/*
 * records.c
 *		Collecting the records of a join.
 *
 * Records are put together by size from the beginning, in chunks: so those that will be put in
 * order among each other are near each other. All chunks stand in one array, 4 bytes for each
 * token; there is no allocation per record. There are few sizes: n of them take at least n²/2
 * tokens. Tokens are numbered in batches, which end within records: one record may have few.
 */
#include "c.h"

#include "join/kernel/rank_sort.h"
#include "join/kernel/records.h"

#define INITIAL_SIZES 8
#define INITIAL_CONTENT 1024

/* Elements by which the content grows at a time, while it has fewer than those. */
#define CONTENT_STEP (128 * 1024)
#define SMALL_CONTENT (4 * 1024 * 1024)

/* The part of the records of a size that the next chunk has room for. */
#define PART_OF_CHUNK 4

void
JoinRecordsInit(JoinRecords *records, JoinHost *host)
{
	memset(records, 0, sizeof(*records));
	records->host = host;
	records->first_right_row = PG_UINT32_MAX;
	TokenDictionaryInit(&records->dictionary, host);
}

/* A power of two, of which at most half are taken. */
static inline uint32
slot_count(const JoinRecords *records)
{
	return records->arrival_capacity * 2;
}

/* The slot of a size, or the free one where it would be. */
static uint32 *
find_slot(const JoinRecords *records, uint32 size)
{
	uint32 mask = slot_count(records) - 1;
	uint32 place = (uint32) (size * UINT64CONST(0x9e3779b97f4a7c15) >> 32) & mask;
	uint32 *slots = records->arrival_slots;

	while (slots[place] != 0 && records->arrivals[slots[place] - 1].size != size)
		place = (place + 1) & mask;
	return &slots[place];
}

/* Room for twice as many sizes. */
static void
grow_arrivals(JoinRecords *records)
{
	JoinHost *host = records->host;
	uint32 capacity = Max(records->arrival_capacity * 2, INITIAL_SIZES);

	JoinRelease(host, records->arrival_slots, slot_count(records), sizeof(uint32));
	records->arrivals = JoinEnlarge(host, records->arrivals, records->arrival_capacity, capacity,
									sizeof(ArrivedRecords));
	records->arrival_capacity = capacity;
	records->arrival_slots = JoinAllocateZero(host, slot_count(records), sizeof(uint32));
	for (uint32 i = 0; i < records->arrival_count; i++)
		*find_slot(records, records->arrivals[i].size) = i + 1;
	JoinTick(host, capacity);
}

static ArrivedRecords *
arrivals_of_size(JoinRecords *records, uint32 size)
{
	uint32 *slot;

	if (size < ARRIVAL_MEMOIZED_SIZES && records->arrival_of_size[size] != 0)
		return &records->arrivals[records->arrival_of_size[size] - 1];
	if (records->arrival_capacity > 0 && *(slot = find_slot(records, size)) != 0)
		return &records->arrivals[*slot - 1];
	if (records->arrival_count == records->arrival_capacity)
		grow_arrivals(records);
	records->arrivals[records->arrival_count++] = (ArrivedRecords){.size = size};
	*find_slot(records, size) = records->arrival_count;
	if (size < ARRIVAL_MEMOIZED_SIZES)
		records->arrival_of_size[size] = records->arrival_count;
	return &records->arrivals[records->arrival_count - 1];
}

/* Records of the next chunk where there are so many of this size: a part of them, while it is small. */
static uint32
records_of_chunk(uint32 count, uint32 size)
{
	uint64 most = (ARRIVED_CHUNK - ARRIVED_CHUNK_HEADER) / JoinArrivedStride(size);

	return Max(Min(count / PART_OF_CHUNK, most), 1);
}

/* In small steps, of which the pages are still in the caches when they are written. */
static uint64
grown_content(uint64 capacity)
{
	return capacity + (capacity < SMALL_CONTENT ? Min(capacity / 2, CONTENT_STEP) : capacity / 2);
}

static void
reserve_content(JoinRecords *records, uint64 additional)
{
	uint64 capacity = Max(records->content_capacity, INITIAL_CONTENT);

	if (records->content_capacity - records->content_count >= additional)
		return;
	while (capacity - records->content_count < additional)
		capacity = grown_content(capacity);
	records->content = JoinEnlarge(records->host, records->content, records->content_capacity,
								   capacity, sizeof(uint32));
	records->content_capacity = capacity;
}

/*
 * What each record of the next chunk adds to what the chunks of its size take at most: its elements,
 * while chunks grow also the part of them that the one after that has room for; and of a header, the
 * whole where chunks have few records.
 */
static uint64
most_added(const ArrivedRecords *arrivals)
{
	uint64 stride = JoinArrivedStride(arrivals->size);
	bool grows = arrivals->count >= PART_OF_CHUNK &&
				 arrivals->count * stride <= PART_OF_CHUNK * ARRIVED_CHUNK;
	bool has_header = arrivals->count < 2 * PART_OF_CHUNK || 2 * stride > ARRIVED_CHUNK / 2;

	return stride + (grows ? stride / PART_OF_CHUNK + 1 : 0) +
		   (has_header ? ARRIVED_CHUNK_HEADER : 1);
}

static void
add_chunk(JoinRecords *records, ArrivedRecords *arrivals)
{
	uint32 room = records_of_chunk(arrivals->count, arrivals->size);
	uint64 chunk = records->content_count;
	uint64 elements = ARRIVED_CHUNK_HEADER + room * JoinArrivedStride(arrivals->size);

	reserve_content(records, elements);
	records->content_count += elements;
	if (arrivals->count == 0)
		arrivals->first_chunk = chunk;
	else
		memcpy(records->content + arrivals->last_chunk, &chunk, sizeof(chunk));
	arrivals->last_chunk = chunk;
	arrivals->next = chunk + ARRIVED_CHUNK_HEADER;
	arrivals->left = room;
	arrivals->most_added = most_added(arrivals);
}

/* Where one more record goes. */
static uint64
add_record(JoinRecords *records, uint32 size)
{
	ArrivedRecords *arrivals = arrivals_of_size(records, size);
	uint64 place;

	if (arrivals->left == 0)
		add_chunk(records, arrivals);
	records->content_bound += arrivals->most_added;
	place = arrivals->next;
	arrivals->next += JoinArrivedStride(size);
	arrivals->left--;
	arrivals->count++;
	records->most_records = Max(records->most_records, arrivals->count);
	if (size > RANK_SORT_MOST)
		records->most_large_tokens =
			Max(records->most_large_tokens, (uint64) arrivals->count * size);
	/* Of the next record of this size, which will come while other places are written. */
	JoinAskForTokens(records->content + arrivals->next);
	return place;
}

void
JoinRecordsNumber(JoinRecords *records)
{
	uint32 ids[DICTIONARY_BATCH];
	const uint32 *next = ids;

	if (records->arrived_count == 0)
		return;
	TokenDictionaryAdd(&records->dictionary, records->arrived, records->arrived_count, ids);
	for (uint32 i = 0; i < records->piece_count; i++)
	{
		const ArrivedTokens *piece = &records->pieces[i];

		memcpy(records->content + piece->place, next, piece->count * sizeof(uint32));
		next += piece->count;
	}
	records->arrived_count = 0;
	records->piece_count = 0;
}

/* Whether so many more tokens can be new. */
static bool
has_numbers_left(const JoinRecords *records, uint32 additional)
{
	return additional + records->arrived_count <=
		   DICTIONARY_MAX_TOKENS - records->dictionary.token_count;
}

/* Ids go to a place in the content. Returns false where there would be too many distinct tokens. */
static bool
append_tokens(JoinRecords *records, uint64 place, const char *tokens, uint32 count)
{
	while (count > 0)
	{
		uint32 step = Min(count, DICTIONARY_BATCH - records->arrived_count);

		if (!has_numbers_left(records, step))
			JoinRecordsNumber(records);
		if (!has_numbers_left(records, step))
			return false;
		memcpy(records->arrived + records->arrived_count, tokens, step * sizeof(int64));
		records->pieces[records->piece_count++] = (ArrivedTokens){.count = step, .place = place};
		records->arrived_count += step;
		if (records->arrived_count == DICTIONARY_BATCH)
			JoinRecordsNumber(records);
		place += step;
		tokens += step * sizeof(int64);
		count -= step;
	}
	return true;
}

bool
JoinRecordsAppend(JoinRecords *records, uint32 row, const void *tokens, uint32 count)
{
	uint64 place;

	if (count == 0)
		return true;
	if (records->record_count == JOIN_MAX_RECORDS || count > JOIN_MAX_RECORD_SIZE)
		return false;
	place = add_record(records, count);
	records->content[place] = row;
	records->record_count++;
	records->token_count += count;
	records->largest = Max(records->largest, count);
	return append_tokens(records, place + 1, tokens, count);
}

void
JoinArrivedBegin(ArrivedScan *scan, const JoinRecords *records, const ArrivedRecords *arrivals)
{
	*scan = (ArrivedScan){.records = records, .arrivals = arrivals, .chunk = arrivals->first_chunk};
}

uint32
JoinArrivedNext(ArrivedScan *scan, uint32 **first)
{
	const ArrivedRecords *arrivals = scan->arrivals;
	uint32 *content = scan->records->content;
	uint32 left = arrivals->count - scan->seen;
	uint32 count = Min(left, records_of_chunk(scan->seen, arrivals->size));

	if (count == 0)
		return 0;
	*first = content + scan->chunk + ARRIVED_CHUNK_HEADER;
	scan->seen += count;
	if (count == left)
		return count;
	/* While this one is looked at, the next one comes. */
	memcpy(&scan->chunk, content + scan->chunk, sizeof(scan->chunk));
	JoinAskForTokens(content + scan->chunk);
	return count;
}

void
JoinRecordsFreeArrived(JoinRecords *records)
{
	JoinHost *host = records->host;

	JoinRelease(host, records->content, records->content_capacity, sizeof(uint32));
	JoinRelease(host, records->arrivals, records->arrival_capacity, sizeof(ArrivedRecords));
	JoinRelease(host, records->arrival_slots, slot_count(records), sizeof(uint32));
	records->content = NULL;
	records->arrivals = NULL;
	records->arrival_slots = NULL;
	records->content_count = records->content_capacity = 0;
	records->arrival_count = records->arrival_capacity = 0;
}

void
JoinRecordsFree(JoinRecords *records)
{
	JoinHost *host = records->host;

	TokenDictionaryFree(&records->dictionary);
	JoinRecordsFreeArrived(records);
	JoinRelease(host, records->tokens, records->token_count, sizeof(uint32));
	JoinRelease(host, records->records, records->record_count, sizeof(JoinRecord));
	JoinRelease(host, records->values, records->distinct_tokens, sizeof(uint64));
	JoinRelease(host, records->repeats, JoinRecordsBitmapWords(records), sizeof(uint64));
	JoinRelease(host, records->class_sizes, records->class_count, sizeof(uint32));
	JoinRelease(host, records->class_starts, records->class_count + 1, sizeof(uint32));
	JoinRelease(host, records->class_origins, records->class_count, sizeof(int64));
	if (records->key_runs != NULL)
		JoinRelease(host, records->key_runs, records->record_count, sizeof(uint32));
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
