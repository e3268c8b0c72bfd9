/*
 * bulk.c
 *		Making a segment of many rows: they are collected in memory, and then written at once.
 *
 * The kernel of joins does most of the work. It gives each token a number when a row arrives, and
 * counts it. The tokens are then ranked by frequency and IndexTokenHash, which is the order of the
 * index, and by these ranks the kernel puts the records in its canonical order: by size, and among
 * records of one size by their tokens, which are sorted by rank. The segment numbers its records in
 * the canonical order, except that rows without tokens come first. The place of a token in a record
 * is its index there.
 *
 * So records of one size that have the same rarest tokens are neighbours, and what a search finds
 * by a rare token lies in few pages of the signatures and TIDs.
 *
 * The lists are made by a counting sort: the frequencies say where each list ends, and the records
 * are then distributed in ascending order.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "index/bulk.h"
#include "index/segment.h"
#include "index/segment_writer.h"
#include "index/signature.h"
#include "kernel/records/canonical.h"
#include "kernel/records/key_sort.h"
#include "kernel/records/record_order.h"
#include "memory/palloc_host.h"

#define FIRST_ROWS 1024

/* Bytes that writing will take in addition to what the arrived records take. */
#define BYTES_PER_TOKEN (sizeof(uint32) + sizeof(uint32) + sizeof(uint8))
#define BYTES_PER_RECORD (sizeof(JoinRecord) + sizeof(KeyedItem) + sizeof(uint32))
#define BYTES_PER_DISTINCT                                                                         \
	(sizeof(uint32) + sizeof(Token) + sizeof(uint64) + sizeof(IndexEntry) + sizeof(KeyedItem))

/* Bits of a signature that a set of mean size should have for each of its tokens. */
#define BITS_PER_TOKEN 8

/* Begins an empty bulk in a new memory context. */
static void
bulk_begin(Bulk *bulk)
{
	bulk->context =
		AllocSetContextCreate(bulk->parent, "neardup index rows", ALLOCSET_DEFAULT_SIZES);
	bulk->host = PallocHost(bulk->context);
	JoinRecordsInit(&bulk->records, &bulk->host);
	bulk->row_count = bulk->empty_count = 0;
	bulk->row_capacity = bulk->empty_capacity = FIRST_ROWS;
	bulk->tids = MemoryContextAllocHuge(bulk->context, FIRST_ROWS * sizeof(ItemPointerData));
	bulk->empty_tids = MemoryContextAllocHuge(bulk->context, FIRST_ROWS * sizeof(ItemPointerData));
}

void
BulkBegin(Bulk *bulk, Size limit)
{
	bulk->parent = CurrentMemoryContext;
	bulk->limit = limit;
	bulk_begin(bulk);
}

void
BulkEnd(Bulk *bulk)
{
	MemoryContextDelete(bulk->context);
}

/* Appends a TID to an array, which grows by half as needed. */
static void
add_tid(ItemPointerData **tids, uint32 *count, uint32 *capacity, const ItemPointerData *tid)
{
	if (*count == *capacity)
	{
		*capacity += *capacity / 2;
		*tids = repalloc_huge(*tids, (Size) *capacity * sizeof(ItemPointerData));
	}
	(*tids)[(*count)++] = *tid;
}

void
BulkAdd(Bulk *bulk, const ItemPointerData *tid, const void *tokens, uint32 count)
{
	if (count == 0)
	{
		add_tid(&bulk->empty_tids, &bulk->empty_count, &bulk->empty_capacity, tid);
		return;
	}
	if (!JoinRecordsAppend(&bulk->records, bulk->row_count, tokens, count))
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("too many rows at once for an index"),
						errhint("Reduce maintenance_work_mem.")));
	add_tid(&bulk->tids, &bulk->row_count, &bulk->row_capacity, tid);
}

bool
BulkIsFull(const Bulk *bulk)
{
	const JoinRecords *records = &bulk->records;
	Size bytes = bulk->host.bytes + (Size) records->token_count * BYTES_PER_TOKEN +
				 (Size) records->record_count * BYTES_PER_RECORD +
				 (Size) records->dictionary.token_count * BYTES_PER_DISTINCT +
				 ((Size) bulk->row_capacity + bulk->empty_capacity) * sizeof(ItemPointerData);

	return bytes >= bulk->limit || bulk->row_count + bulk->empty_count >= JOIN_MAX_RECORDS;
}

uint32
BulkSignatureWords(const Bulk *bulk)
{
	uint64 mean = bulk->records.token_count / Max(bulk->records.record_count, 1);
	uint32 words = 1;

	while (words < INDEX_MAX_SIGNATURE_WORDS && words * 64 < mean * BITS_PER_TOKEN)
		words *= 2;
	return words;
}

/* The distinct tokens in the two orders that a segment has. */
typedef struct TokenOrders
{
	Token *by_rank;	 /* by document frequency, then by IndexTokenHash */
	uint32 *by_hash; /* ranks of the tokens, by IndexTokenHash alone */
} TokenOrders;

/* Returns the ids of all tokens in the order of IndexTokenHash, which differs for each. */
static KeyedItem *
bulk_sort_by_hash(Bulk *bulk)
{
	const TokenDictionary *dictionary = &bulk->records.dictionary;
	KeyedItem *order = JoinAllocate(&bulk->host, dictionary->token_count, sizeof(KeyedItem));

	for (uint32 i = 0; i < dictionary->token_count; i++)
	{
		uint32 id = i + 1;

		JoinTick(&bulk->host, 1);
		order[i] = (KeyedItem){.key = IndexTokenHash(dictionary->entries[id].token), .item = id};
	}
	KeySort(order, dictionary->token_count, NULL, NULL, &bulk->host);
	return order;
}

/* Returns for each document frequency how many tokens are less frequent. */
static uint32 *
count_less_frequent(Bulk *bulk)
{
	const JoinRecords *records = &bulk->records;
	const TokenDictionary *dictionary = &records->dictionary;
	uint32 *counts =
		JoinAllocateZero(&bulk->host, (Size) records->record_count + 2, sizeof(uint32));

	for (uint32 id = 1; id <= dictionary->token_count; id++)
		counts[dictionary->entries[id].document_frequency + 1]++;
	for (uint32 frequency = 0; frequency <= records->record_count; frequency++)
		counts[frequency + 1] += counts[frequency];
	return counts;
}

/*
 * Ranks the tokens as the index orders them, and writes the ranks by id. The kernel ranks by
 * frequency too, but it orders tokens of the same frequency in another way than the index.
 */
static TokenOrders
bulk_rank_tokens(Bulk *bulk, uint32 *rank_of_id)
{
	JoinHost *host = &bulk->host;
	const TokenDictionary *dictionary = &bulk->records.dictionary;
	uint32 count = dictionary->token_count;
	TokenOrders orders = {.by_rank = JoinAllocate(host, count, sizeof(Token)),
						  .by_hash = JoinAllocate(host, count, sizeof(uint32))};
	KeyedItem *ids = bulk_sort_by_hash(bulk);
	uint32 *next = count_less_frequent(bulk);

	for (uint32 i = 0; i < count; i++)
	{
		uint32 id = ids[i].item;
		uint32 rank = next[dictionary->entries[id].document_frequency]++;

		rank_of_id[id] = orders.by_hash[i] = rank;
		orders.by_rank[rank] = dictionary->entries[id].token;
	}
	JoinRelease(host, next, (Size) bulk->records.record_count + 2, sizeof(uint32));
	JoinRelease(host, ids, count, sizeof(KeyedItem));
	return orders;
}

/* Puts the records in canonical order, by the ranks of the index. Returns the orders of tokens. */
static TokenOrders
bulk_put_in_order(Bulk *bulk)
{
	JoinRecords *records = &bulk->records;
	Size id_count;
	uint32 *rank_of_id;
	TokenOrders orders;

	JoinRecordsNumber(records);
	id_count = (Size) records->dictionary.token_count + 1;
	rank_of_id = JoinAllocate(&bulk->host, id_count, sizeof(uint32));
	orders = bulk_rank_tokens(bulk, rank_of_id);
	JoinRecordsGroup(records);
	memcpy(records->rank_of_id + 1, rank_of_id + 1, (id_count - 1) * sizeof(uint32));
	JoinRelease(&bulk->host, rank_of_id, id_count, sizeof(uint32));
	JoinRecordsOrderBegin(records, 1);
	JoinRecordsOrder(records, ORDER_SORT, 0, 1);
	JoinRecordsOrderEnd(records);
	JoinRecordsFreeRanks(records);
	return orders;
}

static void
write_classes(SegmentWriter *writer, const Bulk *bulk)
{
	const JoinRecords *records = &bulk->records;
	uint32 count = 0;
	IndexSizeClass *classes = palloc(((Size) records->class_count + 1) * sizeof(IndexSizeClass));

	if (bulk->empty_count > 0)
		classes[count++] = (IndexSizeClass){.size = 0, .first = 0};
	for (uint32 c = 0; c < records->class_count; c++)
		classes[count++] = (IndexSizeClass){.size = records->class_sizes[c],
											.first = bulk->empty_count + records->class_starts[c]};
	SegmentWriterClasses(writer, classes, count, bulk->empty_count + records->record_count);
	pfree(classes);
}

static void
write_tids(SegmentWriter *writer, const Bulk *bulk)
{
	for (uint32 i = 0; i < bulk->empty_count; i++)
		SegmentWriterTid(writer, &bulk->empty_tids[i]);
	for (uint32 i = 0; i < bulk->records.record_count; i++)
		SegmentWriterTid(writer, &bulk->tids[bulk->records.records[i].row]);
}

static void
write_signatures(SegmentWriter *writer, const Bulk *bulk, const Token *tokens)
{
	const JoinRecords *records = &bulk->records;
	uint32 words = writer->signature_words;
	uint16 *bits =
		palloc_extended((Size) records->distinct_tokens * sizeof(uint16) + 1, MCXT_ALLOC_HUGE);
	uint64 signature[INDEX_MAX_SIGNATURE_WORDS] = {0};

	for (uint32 rank = 0; rank < records->distinct_tokens; rank++)
		bits[rank] = (uint16) IndexSignatureBit(tokens[rank], words);
	for (uint32 i = 0; i < bulk->empty_count; i++)
		SegmentWriterSignature(writer, signature);
	for (uint32 i = 0; i < records->record_count; i++)
	{
		const JoinRecord *record = &records->records[i];
		const uint32 *ranks = JoinRecordTokens(records, record);

		memset(signature, 0, sizeof(signature));
		for (uint32 k = 0; k < record->size; k++)
			IndexSignatureToggle(signature, bits[ranks[k]]);
		SegmentWriterSignature(writer, signature);
	}
	pfree(bits);
}

/* The postings of all lists, one list after the other in the order of rank. */
typedef struct Lists
{
	uint64 *ends; /* by rank: where the list ends in the arrays */
	uint32 *records;
	uint8 *places;
} Lists;

/*
 * Sorts the postings of all records by rank. ends[rank] is first where the list begins, by the
 * frequencies of the ranks before; each posting moves it on, in the end to where the list ends.
 */
static Lists
invert(Bulk *bulk)
{
	const JoinRecords *records = &bulk->records;
	JoinHost *host = &bulk->host;
	Lists lists = {.ends =
					   JoinAllocateZero(host, (Size) records->distinct_tokens + 1, sizeof(uint64)),
				   .records = JoinAllocate(host, records->token_count, sizeof(uint32)),
				   .places = JoinAllocate(host, records->token_count, sizeof(uint8))};

	for (uint64 i = 0; i < records->token_count; i++)
		lists.ends[records->tokens[i] + 1]++;
	for (uint32 rank = 0; rank < records->distinct_tokens; rank++)
		lists.ends[rank + 1] += lists.ends[rank];
	for (uint32 i = 0; i < records->record_count; i++)
	{
		const JoinRecord *record = &records->records[i];
		const uint32 *ranks = JoinRecordTokens(records, record);

		JoinTick(host, record->size);
		for (uint32 k = 0; k < record->size; k++)
		{
			uint64 place = lists.ends[ranks[k]]++;

			lists.records[place] = bulk->empty_count + i;
			lists.places[place] = (uint8) Min(k, POSTING_MOST_PLACE);
		}
	}
	return lists;
}

/* Writes all lists, and returns their entries by rank. */
static IndexEntry *
write_lists(SegmentWriter *writer, Bulk *bulk, const Token *tokens)
{
	Lists lists = invert(bulk);
	uint32 token_count = bulk->records.distinct_tokens;
	IndexEntry *entries = JoinAllocate(&bulk->host, token_count, sizeof(IndexEntry));
	uint64 posting = 0;

	SegmentWriterBeginLists(writer);
	for (uint32 rank = 0; rank < token_count; rank++)
	{
		for (; posting < lists.ends[rank]; posting++)
			SegmentWriterPosting(writer, lists.records[posting], lists.places[posting]);
		entries[rank] = SegmentWriterEndList(writer, tokens[rank]);
	}
	return entries;
}

static void
bulk_write_dictionary(SegmentWriter *writer, const IndexEntry *entries, const uint32 *by_hash,
					  uint32 count)
{
	SegmentWriterBeginDictionary(writer, count);
	for (uint32 i = 0; i < count; i++)
		SegmentWriterEntry(writer, &entries[by_hash[i]]);
}

/* Estimates the pages of the segment. A posting is assumed to take two bytes and a half. */
static uint32
estimate_pages(const Bulk *bulk, uint32 words)
{
	const JoinRecords *records = &bulk->records;
	Size bytes = (Size) (bulk->empty_count + records->record_count) *
					 (sizeof(ItemPointerData) + words * sizeof(uint64)) +
				 (Size) records->token_count * 5 / 2 +
				 (Size) records->distinct_tokens * sizeof(IndexEntry) * 4 / 3;

	return (uint32) Min(bytes / INDEX_PAYLOAD + 4, MaxBlockNumber / 2);
}

IndexSegment
BulkWrite(Bulk *bulk, const SegmentStore *store)
{
	MemoryContext previous = MemoryContextSwitchTo(bulk->context);
	TokenOrders orders = bulk_put_in_order(bulk);
	const IndexEntry *entries;
	SegmentWriter writer;
	IndexSegment segment;

	SegmentWriterBegin(&writer, store, estimate_pages(bulk, INDEX_MAX_SIGNATURE_WORDS / 4));
	write_classes(&writer, bulk);
	write_tids(&writer, bulk);
	write_signatures(&writer, bulk, orders.by_rank);
	entries = write_lists(&writer, bulk, orders.by_rank);
	bulk_write_dictionary(&writer, entries, orders.by_hash, bulk->records.distinct_tokens);
	segment = SegmentWriterFinish(&writer);
	MemoryContextSwitchTo(previous);
	MemoryContextDelete(bulk->context);
	bulk_begin(bulk);
	return segment;
}
