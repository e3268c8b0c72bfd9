/*
 * segment.c
 *		Reading a segment.
 *
 * A segment does not change but for its TIDs, therefore reading it needs no lock beyond the lock of
 * the page, under which the page shows that it still belongs to the segment. At most one page is
 * locked at a time.
 *
 * A token is found by one page in most cases: its hash gives the bucket, and a binary search within
 * the page gives the entry. Entries are ordered by IndexTokenHash, which is a bijection, so that
 * equal hashes mean equal tokens. A query's tokens are looked up in this order, too: a query of a
 * million tokens reads each page of the dictionary once, and not once for each token.
 *
 * A list can begin in the middle of a page, where the list before it ended, and ends before the
 * next one. Its later pages begin with a block of its own. Each page of lists has the first record
 * of its first block in its special space, so that a binary search over the pages of a long list
 * finds the page that may have a record, and then the blocks of this page are skipped one by one.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "bisect.h"
#include "index/page_io.h"
#include "index/segment.h"

/* Raises index_corrupted unless the page has just as many bytes as its elements take. */
static void
check_used(const SegmentStore *store, Page page, uint32 size)
{
	if (unlikely(IndexPageUsed(page) != size))
		IndexCorrupted(store->index, "A page of a segment has the wrong number of elements.");
}

/* Raises index_corrupted unless sizes and first records ascend from record 0 on. */
static void
check_classes(const SegmentStore *store, const IndexSegment *segment, const IndexSizeClass *classes)
{
	uint32 count = segment->class_count;

	if (classes[0].first != 0)
		IndexCorrupted(store->index, "A segment's first record has no size.");
	for (uint32 c = 0; c < count; c++)
	{
		if (classes[c].first >= classes[c + 1].first)
			IndexCorrupted(store->index, "Size classes have no records.");
		if (c + 1 < count && classes[c].size >= classes[c + 1].size)
			IndexCorrupted(store->index, "Size classes do not ascend.");
	}
}

IndexSizeClass *
SegmentClasses(const SegmentStore *store, const IndexSegment *segment)
{
	IndexSizeClass *classes = palloc(((Size) segment->class_count + 1) * sizeof(IndexSizeClass));

	for (uint32 first = 0; first < segment->class_count; first += CLASSES_PER_PAGE)
	{
		SegmentPage at = SegmentPageRead(store, segment, first / CLASSES_PER_PAGE);
		uint32 size =
			Min(segment->class_count - first, CLASSES_PER_PAGE) * (uint32) sizeof(IndexSizeClass);

		check_used(store, at.page, size);
		memcpy(classes + first, PageGetContents(at.page), size);
		SegmentPageRelease(&at);
	}
	classes[segment->class_count] = (IndexSizeClass){.size = 0, .first = segment->record_count};
	check_classes(store, segment, classes);
	return classes;
}

/* Returns the entries of a dictionary page, and their number. */
static const IndexEntry *
entries_of(Page page, uint32 *count)
{
	*count = IndexPageUsed(page) / sizeof(IndexEntry);
	return (const IndexEntry *) PageGetContents(page);
}

/* Returns the token's entry among the entries of one page, or NULL. */
static const IndexEntry *
find_entry(const IndexEntry *entries, uint32 count, Token token)
{
	uint64 hash = IndexTokenHash(token);
	uint32 place = 0;

	BISECT(uint32, place, count, at, IndexTokenHash(entries[at].token) < hash);
	return place < count && entries[place].token == token ? &entries[place] : NULL;
}

/* Raises index_corrupted if an entry's list cannot be in the segment. */
static void
check_entry(const SegmentStore *store, const IndexSegment *segment, const IndexEntry *entry)
{
	if (entry->count == 0 || entry->count > segment->record_count)
		IndexCorrupted(store->index, "A list has an impossible number of postings.");
	if (entry->count == 1 && entry->page >= segment->record_count)
		IndexCorrupted(store->index, "A posting's record does not exist.");
}

/* Returns the next page of a bucket, 0 after the last. Pages ascend, so that the chain ends. */
static uint32
next_page(const SegmentStore *store, const SegmentPage *at, uint32 page)
{
	uint32 next = IndexPageSpecialOf(at->page)->link;

	if (next != 0 && next <= page)
		IndexCorrupted(store->index, "Pages of a bucket do not ascend.");
	return next;
}

void
DictionarySearchBegin(DictionarySearch *search, const SegmentStore *store,
					  const IndexSegment *segment)
{
	search->store = store;
	search->segment = segment;
	search->at = (SegmentPage){.buffer = InvalidBuffer};
}

static void
lock_dictionary_page(DictionarySearch *search, uint32 page)
{
	DictionarySearchEnd(search);
	CHECK_FOR_INTERRUPTS();
	search->at = SegmentPageRead(search->store, search->segment, page);
	search->page = page;
}

/*
 * Goes on to the page that has the token if the segment does, and returns its entries. If a bucket
 * has several pages, its entries ascend over all of them.
 */
static const IndexEntry *
entries_for(DictionarySearch *search, uint64 hash, uint32 *count)
{
	const IndexSegment *segment = search->segment;
	uint32 bucket = IndexBucket(hash, segment->buckets);

	if (search->at.page == NULL || bucket != search->bucket)
		lock_dictionary_page(search, segment->dictionary + bucket);
	search->bucket = bucket;
	while (true)
	{
		const IndexEntry *entries = entries_of(search->at.page, count);
		uint32 next = next_page(search->store, &search->at, search->page);

		if (next == 0 || (*count > 0 && IndexTokenHash(entries[*count - 1].token) >= hash))
			return entries;
		lock_dictionary_page(search, next);
	}
}

bool
DictionarySearchFind(DictionarySearch *search, Token token, IndexEntry *entry)
{
	const IndexEntry *entries;
	const IndexEntry *found;
	uint32 count;

	if (search->segment->buckets == 0)
		return false;
	entries = entries_for(search, IndexTokenHash(token), &count);
	found = find_entry(entries, count, token);
	if (found == NULL)
		return false;
	*entry = *found;
	check_entry(search->store, search->segment, entry);
	return true;
}

void
DictionarySearchEnd(DictionarySearch *search)
{
	SegmentPageRelease(&search->at);
}

void
DictionaryScanBegin(DictionaryScan *scan, const SegmentStore *store, const IndexSegment *segment)
{
	scan->store = store;
	scan->segment = segment;
	scan->capacity = ENTRIES_PER_PAGE;
	scan->entries = palloc(scan->capacity * sizeof(IndexEntry));
	scan->count = scan->next = scan->bucket = 0;
	scan->is_begun = false;
}

/* Copies the next bucket. If it has several pages, its entries ascend over all of them. */
static void
read_bucket(DictionaryScan *scan)
{
	uint32 page = scan->segment->dictionary + scan->bucket++;

	scan->count = scan->next = 0;
	do
	{
		SegmentPage at = SegmentPageRead(scan->store, scan->segment, page);
		uint32 count;
		const IndexEntry *entries = entries_of(at.page, &count);

		if (scan->count + count > scan->capacity)
		{
			scan->capacity += scan->capacity / 2 + count;
			scan->entries =
				repalloc_huge(scan->entries, (Size) scan->capacity * sizeof(IndexEntry));
		}
		memcpy(scan->entries + scan->count, entries, count * sizeof(IndexEntry));
		scan->count += count;
		page = next_page(scan->store, &at, page);
		SegmentPageRelease(&at);
		CHECK_FOR_INTERRUPTS();
	} while (page != 0);
}

const IndexEntry *
DictionaryScanNext(DictionaryScan *scan)
{
	const IndexEntry *entry;
	uint64 hash;

	while (scan->next == scan->count)
	{
		if (scan->bucket == scan->segment->buckets)
			return NULL;
		read_bucket(scan);
	}
	entry = &scan->entries[scan->next++];
	hash = IndexTokenHash(entry->token);
	check_entry(scan->store, scan->segment, entry);
	if (scan->is_begun && hash <= scan->hash)
		IndexCorrupted(scan->store->index, "Entries of the dictionary do not ascend.");
	scan->is_begun = true;
	scan->hash = hash;
	return entry;
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

/* Locks a page of the postings, and goes to a block of it. */
static void
lock_list_page(PostingScan *scan, uint32 page, uint32 offset)
{
	scan->at = SegmentPageRead(scan->store, scan->segment, scan->segment->postings + page);
	scan->page = page;
	scan->offset = offset;
}

/*
 * Returns the list's last page whose first record is not greater than `record`, or its first page.
 * The first record of the list's first page is not looked at: it may be one of another list.
 */
static uint32
page_of_record(PostingScan *scan, uint32 record)
{
	uint32 low = scan->entry.page;
	uint32 high = scan->entry.last_page;

	while (low < high)
	{
		uint32 middle = low + (high - low + 1) / 2;
		SegmentPage at =
			SegmentPageRead(scan->store, scan->segment, scan->segment->postings + middle);

		if (first_record(at.page) <= record)
			low = middle;
		else
			high = middle - 1;
		SegmentPageRelease(&at);
	}
	return low;
}

/* Whether no block of the list in this page begins at or after the offset. */
static bool
is_end(const PostingScan *scan, uint32 offset)
{
	return (scan->page == scan->entry.last_page && offset >= scan->entry.place) ||
		   offset >= IndexPageUsed(scan->at.page);
}

/* Reads the header of the block at the scan's offset; *next is the offset behind the block. */
static PostingBlock
open_block(const PostingScan *scan, uint32 *next)
{
	const uint8 *bytes = (const uint8 *) PageGetContents(scan->at.page);
	uint32 used = IndexPageUsed(scan->at.page);
	PostingBlock block = {0};

	if (scan->offset + POSTING_BLOCK_HEADER < used)
		block = PostingBlockOpen(bytes + scan->offset);
	if (block.count == 0 || block.count > POSTINGS_PER_BLOCK || block.bits > 32 ||
		block.end > bytes + used)
		IndexCorrupted(scan->store->index, "A block of postings has an impossible head.");
	*next = (uint32) (block.end - bytes);
	return block;
}

/* Skips the blocks of the page that are followed by one whose first record is not greater. */
static void
skip_blocks(PostingScan *scan, uint32 record)
{
	while (!is_end(scan, scan->offset))
	{
		uint32 next;
		PostingBlock block = open_block(scan, &next);
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
PostingScanBegin(PostingScan *scan, const SegmentStore *store, const IndexSegment *segment,
				 const IndexEntry *entry, uint32 record)
{
	uint32 page;

	scan->store = store;
	scan->segment = segment;
	scan->entry = *entry;
	scan->at = (SegmentPage){.buffer = InvalidBuffer};
	scan->left = entry->count;
	scan->last = -1;
	scan->is_done = false;
	if (entry->count == 1)
		return;
	page = page_of_record(scan, record);
	lock_list_page(scan, page, page == entry->page ? entry->offset : 0);
	skip_blocks(scan, record);
}

/* Makes a block of the posting that the entry itself holds. */
static bool
only_posting(PostingScan *scan, PostingBlock *block)
{
	scan->place = (uint8) scan->entry.place;
	*block = (PostingBlock){.first = scan->entry.page, .count = 1, .places = &scan->place};
	scan->left = 0;
	scan->is_done = true;
	return true;
}

bool
PostingScanNext(PostingScan *scan, PostingBlock *block)
{
	if (scan->is_done)
		return false;
	if (scan->entry.count == 1)
		return only_posting(scan, block);
	if (scan->page == scan->entry.last_page && scan->offset >= scan->entry.place)
	{
		PostingScanEnd(scan);
		return false;
	}
	if (scan->offset >= IndexPageUsed(scan->at.page))
	{
		SegmentPageRelease(&scan->at);
		CHECK_FOR_INTERRUPTS();
		lock_list_page(scan, scan->page + 1, 0);
	}
	*block = open_block(scan, &scan->offset);
	if (block->count > scan->left)
		IndexCorrupted(scan->store->index, "A list has the wrong number of postings.");
	scan->left -= block->count;
	return true;
}

void
PostingScanRecords(PostingScan *scan, const PostingBlock *block, uint32 *records)
{
	uint64 last = PostingBlockRecords(block, records);

	if (unlikely(last >= scan->segment->record_count))
		IndexCorrupted(scan->store->index, "A posting's record does not exist.");
	if (unlikely(block->first <= scan->last))
		IndexCorrupted(scan->store->index, "Postings do not ascend.");
	scan->last = (int64) last;
}

void
PostingScanEnd(PostingScan *scan)
{
	SegmentPageRelease(&scan->at);
	scan->is_done = true;
}

static void
table_init(RecordTable *table, const SegmentStore *store, const IndexSegment *segment,
		   uint32 first_page, uint32 element_size, bool is_locked)
{
	table->store = store;
	table->segment = segment;
	table->snapshot = NULL;
	table->first_page = first_page;
	table->element_size = element_size;
	table->per_page = INDEX_PAYLOAD / element_size;
	table->is_locked = is_locked;
	table->at = (SegmentPage){.buffer = InvalidBuffer};
}

void
RecordTableTids(RecordTable *table, const SegmentStore *store, const IndexSegment *segment,
				Snapshot snapshot, bool is_locked)
{
	table_init(table, store, segment, segment->tids, sizeof(ItemPointerData), is_locked);
	table->snapshot = snapshot;
}

void
RecordTableSignatures(RecordTable *table, const SegmentStore *store, const IndexSegment *segment,
					  uint32 words, bool is_locked)
{
	table_init(table, store, segment, segment->signatures, words * sizeof(uint64), is_locked);
}

void
RecordTableEnd(RecordTable *table)
{
	if (table->is_locked)
		SegmentPageUnlock(&table->at);
	SegmentPageUnpin(&table->at);
}

void
RecordTableLockPage(RecordTable *table, uint32 page)
{
	uint32 first = (page - table->first_page) * table->per_page;

	RecordTableEnd(table);
	CHECK_FOR_INTERRUPTS();
	table->at = SegmentPageRead(table->store, table->segment, page);
	nd_test_for_old_snapshot(table->snapshot, table->store->index, table->at.page);
	check_used(table->store, table->at.page,
			   Min(table->segment->record_count - first, table->per_page) * table->element_size);
	if (!table->is_locked)
		SegmentPageUnlock(&table->at);
	table->page = page;
}
