/*
 * segment.c
 *		Reading a segment.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "index/pages.h"
#include "index/segment.h"
#include "kernel/records/dictionary.h"

static inline const char *
payload(Buffer buffer)
{
	return PageGetContents(BufferGetPage(buffer));
}

static inline Buffer
read_page(Relation index, const IndexSegment *segment, uint32 page)
{
	return IndexPageRead(index, segment->id, &segment->space, page);
}

IndexSizeClass *
SegmentClasses(Relation index, const IndexSegment *segment)
{
	IndexSizeClass *classes = palloc(((Size) segment->class_count + 1) * sizeof(IndexSizeClass));

	for (uint32 first = 0; first < segment->class_count; first += CLASSES_PER_PAGE)
	{
		Buffer buffer = read_page(index, segment, first / CLASSES_PER_PAGE);

		memcpy(classes + first, payload(buffer),
			   Min(segment->class_count - first, CLASSES_PER_PAGE) * sizeof(IndexSizeClass));
		UnlockReleaseBuffer(buffer);
	}
	classes[segment->class_count] = (IndexSizeClass){.size = 0, .first = segment->record_count};
	return classes;
}

/* Entries of a dictionary page, by count. */
static const IndexEntry *
entries_of(Buffer buffer, uint32 *count)
{
	*count = IndexPageUsed(BufferGetPage(buffer)) / sizeof(IndexEntry);
	return (const IndexEntry *) payload(buffer);
}

static const IndexEntry *
find_entry(const IndexEntry *entries, uint32 count, Token token)
{
	uint64 hash = DictionaryHash(token);
	uint32 low = 0;

	while (low < count)
	{
		uint32 middle = low + (count - low) / 2;

		if (DictionaryHash(entries[middle].token) < hash)
			low = middle + 1;
		else if (entries[middle].token == token)
			return &entries[middle];
		else
			count = middle;
	}
	return NULL;
}

bool
SegmentFindToken(Relation index, const IndexSegment *segment, Token token, IndexEntry *entry)
{
	uint32 page = segment->dictionary + IndexBucket(DictionaryHash(token), segment->buckets);

	if (segment->buckets == 0)
		return false;
	do
	{
		Buffer buffer = read_page(index, segment, page);
		uint32 count;
		const IndexEntry *entries = entries_of(buffer, &count);
		const IndexEntry *found = find_entry(entries, count, token);

		page = IndexPageSpecialOf(BufferGetPage(buffer))->link;
		if (found != NULL)
			*entry = *found;
		UnlockReleaseBuffer(buffer);
		if (found != NULL)
			return true;
	} while (page != 0);
	return false;
}

void
DictionaryScanBegin(DictionaryScan *scan, Relation index, const IndexSegment *segment)
{
	scan->index = index;
	scan->segment = segment;
	scan->capacity = ENTRIES_PER_PAGE;
	scan->entries = palloc(scan->capacity * sizeof(IndexEntry));
	scan->count = scan->next = scan->bucket = 0;
}

/* A bucket of several pages is in order over all of them. */
static void
read_bucket(DictionaryScan *scan)
{
	uint32 page = scan->segment->dictionary + scan->bucket++;

	scan->count = scan->next = 0;
	do
	{
		Buffer buffer = read_page(scan->index, scan->segment, page);
		uint32 count;
		const IndexEntry *entries = entries_of(buffer, &count);

		if (scan->count + count > scan->capacity)
		{
			scan->capacity += scan->capacity / 2 + count;
			scan->entries =
				repalloc_huge(scan->entries, (Size) scan->capacity * sizeof(IndexEntry));
		}
		memcpy(scan->entries + scan->count, entries, count * sizeof(IndexEntry));
		scan->count += count;
		page = IndexPageSpecialOf(BufferGetPage(buffer))->link;
		UnlockReleaseBuffer(buffer);
		CHECK_FOR_INTERRUPTS();
	} while (page != 0);
}

const IndexEntry *
DictionaryScanNext(DictionaryScan *scan)
{
	while (scan->next == scan->count)
	{
		if (scan->bucket == scan->segment->buckets)
			return NULL;
		read_bucket(scan);
	}
	return &scan->entries[scan->next++];
}

void
DictionaryScanEnd(DictionaryScan *scan)
{
	pfree(scan->entries);
}

static inline uint32
first_record(Page page)
{
	return IndexPageSpecialOf(page)->link;
}

static void
lock_list_page(PostingScan *scan, uint32 page, uint32 offset)
{
	scan->buffer = read_page(scan->index, scan->segment, scan->segment->postings + page);
	scan->page = page;
	scan->offset = offset;
}

/* The last page of the list that begins before the record; its first page begins elsewhere. */
static uint32
page_of_record(PostingScan *scan, uint32 record)
{
	uint32 low = scan->entry.page;
	uint32 high = scan->entry.last_page;

	while (low < high)
	{
		uint32 middle = low + (high - low + 1) / 2;
		Buffer buffer = read_page(scan->index, scan->segment, scan->segment->postings + middle);

		if (first_record(BufferGetPage(buffer)) <= record)
			low = middle;
		else
			high = middle - 1;
		UnlockReleaseBuffer(buffer);
	}
	return low;
}

static bool
is_end(const PostingScan *scan, uint32 offset)
{
	return (scan->page == scan->entry.last_page && offset >= scan->entry.place) ||
		   offset >= IndexPageUsed(BufferGetPage(scan->buffer));
}

/* Blocks of the page that end before the record. */
static void
skip_blocks(PostingScan *scan, uint32 record)
{
	const uint8 *bytes = (const uint8 *) payload(scan->buffer);

	while (!is_end(scan, scan->offset))
	{
		PostingBlock block = PostingBlockOpen(bytes + scan->offset);
		uint32 next = (uint32) (block.end - bytes);
		uint32 first;

		if (is_end(scan, next))
			break;
		memcpy(&first, block.end, sizeof(first));
		if (first > record)
			break;
		scan->offset = next;
	}
}

void
PostingScanBegin(PostingScan *scan, Relation index, const IndexSegment *segment,
				 const IndexEntry *entry, uint32 record)
{
	uint32 page;

	scan->index = index;
	scan->segment = segment;
	scan->entry = *entry;
	scan->buffer = InvalidBuffer;
	scan->is_done = false;
	if (entry->count == 1)
		return;
	page = page_of_record(scan, record);
	lock_list_page(scan, page, page == entry->page ? entry->offset : 0);
	skip_blocks(scan, record);
}

static bool
only_posting(PostingScan *scan, PostingBlock *block)
{
	scan->place = (uint8) scan->entry.place;
	*block = (PostingBlock){.first = scan->entry.page, .count = 1, .places = &scan->place};
	scan->is_done = true;
	return true;
}

bool
PostingScanNext(PostingScan *scan, PostingBlock *block)
{
	Page page;

	if (scan->is_done)
		return false;
	if (scan->entry.count == 1)
		return only_posting(scan, block);
	page = BufferGetPage(scan->buffer);
	if (scan->page == scan->entry.last_page && scan->offset >= scan->entry.place)
	{
		PostingScanEnd(scan);
		return false;
	}
	if (scan->offset >= IndexPageUsed(page))
	{
		UnlockReleaseBuffer(scan->buffer);
		CHECK_FOR_INTERRUPTS();
		lock_list_page(scan, scan->page + 1, 0);
		page = BufferGetPage(scan->buffer);
	}
	*block = PostingBlockOpen((const uint8 *) PageGetContents(page) + scan->offset);
	scan->offset = (uint32) (block->end - (const uint8 *) PageGetContents(page));
	return true;
}

void
PostingScanEnd(PostingScan *scan)
{
	if (BufferIsValid(scan->buffer))
		UnlockReleaseBuffer(scan->buffer);
	scan->buffer = InvalidBuffer;
	scan->is_done = true;
}

static void
table_init(RecordTable *table, Relation index, const IndexSegment *segment, uint32 first_page,
		   uint32 element_size, bool is_locked)
{
	table->index = index;
	table->segment = segment;
	table->first_page = first_page;
	table->element_size = element_size;
	table->per_page = INDEX_PAYLOAD / element_size;
	table->is_locked = is_locked;
	table->buffer = InvalidBuffer;
}

void
RecordTableTids(RecordTable *table, Relation index, const IndexSegment *segment, bool is_locked)
{
	table_init(table, index, segment, segment->tids, sizeof(ItemPointerData), is_locked);
}

void
RecordTableSignatures(RecordTable *table, Relation index, const IndexSegment *segment, uint32 words,
					  bool is_locked)
{
	table_init(table, index, segment, segment->signatures, words * sizeof(uint64), is_locked);
}

void
RecordTableEnd(RecordTable *table)
{
	if (BufferIsValid(table->buffer))
	{
		if (table->is_locked)
			LockBuffer(table->buffer, BUFFER_LOCK_UNLOCK);
		ReleaseBuffer(table->buffer);
	}
	table->buffer = InvalidBuffer;
}

void
RecordTableLockPage(RecordTable *table, uint32 page)
{
	RecordTableEnd(table);
	CHECK_FOR_INTERRUPTS();
	table->buffer = read_page(table->index, table->segment, page);
	if (!table->is_locked)
		LockBuffer(table->buffer, BUFFER_LOCK_UNLOCK);
	table->page = page;
}
