/*
 * segment_writer.c
 *		Writing a segment.
 *
 * Pages are filled in memory, and each is written once, as a whole. Pages of a file are appended to
 * it. Pages of the index are logged, and the segment becomes part of the index by a later WAL
 * record, of the metapage; after a crash between the two, the pages are in blocks that are free or
 * will be taken over.
 *
 * The pages of a part follow each other, so that the page of an element follows from its number.
 * Buckets of the dictionary are a page each. Entries that do not fit into the page of their bucket
 * go to overflow pages, which are kept in memory until all buckets are written.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "index/meta.h"
#include "index/segment.h"
#include "index/segment_writer.h"

/* Pages that are reserved at a time, at least. */
#define LEAST_PAGES 16

static inline Page
page_of(SegmentWriter *writer)
{
	return (Page) writer->block.data;
}

/* Adds pages to the segment, as part of `building` in the metapage. */
static void
reserve_pages(SegmentWriter *writer, uint32 pages)
{
	IndexMetaChange change = IndexMetaBegin(writer->store.index);

	if (!IndexSpaceGrow(change.meta, &change.meta->building, pages))
		IndexSpaceScattered(writer->store.index);
	writer->segment.space = change.meta->building;
	IndexMetaCommit(&change);
}

void
SegmentWriterBegin(SegmentWriter *writer, const SegmentStore *store, uint32 pages)
{
	IndexMetaChange change = IndexMetaBegin(store->index);

	memset(writer, 0, sizeof(*writer));
	writer->store = *store;
	writer->segment.id = change.meta->next_id++;
	writer->signature_words = change.meta->signature_words;
	memset(&change.meta->building, 0, sizeof(change.meta->building));
	IndexMetaCommit(&change);
	if (store->file == NULL)
		reserve_pages(writer, Max(pages, LEAST_PAGES));
	IndexPageInit(page_of(writer), writer->segment.id);
}

/* Writes a page as the segment's next one. */
static void
write_page(SegmentWriter *writer, Page page)
{
	IndexSpace *space = &writer->segment.space;

	CHECK_FOR_INTERRUPTS();
	if (writer->store.file != NULL)
	{
		SegmentFileWrite(writer->store.file, page);
		space->pages = ++writer->next_page;
		return;
	}
	if (writer->next_page == space->pages)
		reserve_pages(writer, Max(space->pages / 2, LEAST_PAGES));
	IndexPageWrite(writer->store.index, MAIN_FORKNUM, IndexSpaceBlock(space, writer->next_page++),
				   page);
}

/* Writes the page that was being filled, and begins the next one. */
static void
end_page(SegmentWriter *writer)
{
	write_page(writer, page_of(writer));
	IndexPageInit(page_of(writer), writer->segment.id);
}

/* Ends a part of the segment with its last page, and returns the first page of the next part. */
static uint32
writer_end_part(SegmentWriter *writer)
{
	if (IndexPageUsed(page_of(writer)) > 0)
		end_page(writer);
	return writer->next_page;
}

static inline bool
writer_has_room(SegmentWriter *writer, uint32 size)
{
	return IndexPageUsed(page_of(writer)) + size <= INDEX_PAYLOAD;
}

static void
writer_append(SegmentWriter *writer, const void *bytes, uint32 size)
{
	if (!writer_has_room(writer, size))
		end_page(writer);
	IndexPageAppend(page_of(writer), bytes, size);
}

void
SegmentWriterClasses(SegmentWriter *writer, const IndexSizeClass *classes, uint32 class_count,
					 uint32 record_count)
{
	for (uint32 c = 0; c < class_count; c++)
		writer_append(writer, &classes[c], sizeof(IndexSizeClass));
	writer->segment.class_count = class_count;
	writer->segment.record_count = record_count;
	writer->segment.tids = writer_end_part(writer);
}

void
SegmentWriterTid(SegmentWriter *writer, const ItemPointerData *tid)
{
	writer_append(writer, tid, sizeof(ItemPointerData));
}

void
SegmentWriterSignature(SegmentWriter *writer, const uint64 *signature)
{
	if (writer->segment.signatures == 0)
		writer->segment.signatures = writer_end_part(writer);
	writer_append(writer, signature, writer->signature_words * sizeof(uint64));
}

/* Writes the pending postings as a block, into the current page if it has room for them. */
static void
writer_write_block(SegmentWriter *writer)
{
	Page page = page_of(writer);
	PageHeader header = (PageHeader) page;
	uint32 size = PostingBlockSize(writer->records, writer->pending);
	uint32 offset;

	if (!writer_has_room(writer, size))
		end_page(writer);
	offset = IndexPageUsed(page);
	if (offset == 0)
		IndexPageSpecialOf(page)->link = writer->records[0];
	if (writer->entry.count == 0)
	{
		writer->entry.page = writer->next_page - writer->segment.postings;
		writer->entry.offset = (uint16) offset;
	}
	header->pd_lower += PostingBlockWrite(writer->records, writer->places, writer->pending,
										  (uint8 *) page + header->pd_lower);
	writer->entry.count += writer->pending;
	writer->entry.last_page = writer->next_page - writer->segment.postings;
	writer->entry.place = (uint16) IndexPageUsed(page);
	writer->pending = 0;
}

void
SegmentWriterBeginLists(SegmentWriter *writer)
{
	writer->segment.postings = writer_end_part(writer);
}

void
SegmentWriterPosting(SegmentWriter *writer, uint32 record, uint32 place)
{
	if (writer->pending == POSTINGS_PER_BLOCK)
		writer_write_block(writer);
	writer->records[writer->pending] = record;
	writer->places[writer->pending++] = (uint8) Min(place, POSTING_MOST_PLACE);
}

IndexEntry
SegmentWriterEndList(SegmentWriter *writer, Token token)
{
	IndexEntry entry = {.token = token, .count = 1};

	if (writer->entry.count == 0 && writer->pending == 1)
	{
		entry.page = writer->records[0];
		entry.place = writer->places[0];
		writer->pending = 0;
	}
	else
	{
		if (writer->pending > 0)
			writer_write_block(writer);
		entry = writer->entry;
		entry.token = token;
	}
	memset(&writer->entry, 0, sizeof(writer->entry));
	writer->segment.posting_count += entry.count;
	return entry;
}

void
SegmentWriterBeginDictionary(SegmentWriter *writer, uint32 token_count)
{
	writer->segment.dictionary = writer_end_part(writer);
	writer->segment.token_count = token_count;
	if (token_count == 0)
		return;
	/* On average a quarter of each page stays free, so that few buckets need a second page. */
	writer->segment.buckets = token_count / (ENTRIES_PER_PAGE * 3 / 4) + 1;
	writer->entry_capacity = ENTRIES_PER_PAGE;
	writer->entries = palloc(writer->entry_capacity * sizeof(IndexEntry));
}

/* Returns the page of the next overflow page to be added, or 0 if no entries are left for it. */
static uint32
next_overflow_page(const SegmentWriter *writer, uint32 rest)
{
	return rest == 0
			   ? 0
			   : writer->segment.dictionary + writer->segment.buckets + writer->overflow_count;
}

/* Keeps a copy of a page until the buckets are written. */
static void
add_overflow_page(SegmentWriter *writer, Page page)
{
	Size size = (Size) (writer->overflow_count + 1) * BLCKSZ;

	writer->overflow =
		writer->overflow == NULL ? palloc(size) : repalloc_huge(writer->overflow, size);
	memcpy(writer->overflow + size - BLCKSZ, page, BLCKSZ);
	writer->overflow_count++;
}

/*
 * Writes the page of the current bucket, and keeps the overflow pages that it needs. Each page
 * links to the next one of the bucket: the first page to the overflow page that is added next, an
 * overflow page, which itself is about to be added, to the one after.
 */
static void
end_bucket(SegmentWriter *writer)
{
	Page page = page_of(writer);
	uint32 count = 0;

	for (uint32 first = 0; first == 0 || first < writer->entry_count; first += count)
	{
		bool is_first = first == 0;

		count = Min(writer->entry_count - first, ENTRIES_PER_PAGE);
		IndexPageAppend(page, writer->entries + first, count * sizeof(IndexEntry));
		IndexPageSpecialOf(page)->link =
			next_overflow_page(writer, writer->entry_count - first - count) +
			(!is_first && first + count < writer->entry_count);
		if (is_first)
			write_page(writer, page);
		else
			add_overflow_page(writer, page);
		IndexPageInit(page, writer->segment.id);
		if (count == 0)
			break;
	}
	writer->entry_count = 0;
	writer->bucket++;
}

void
SegmentWriterEntry(SegmentWriter *writer, const IndexEntry *entry)
{
	uint32 bucket = IndexBucket(IndexTokenHash(entry->token), writer->segment.buckets);

	while (writer->bucket < bucket)
		end_bucket(writer);
	if (writer->entry_count == writer->entry_capacity)
	{
		writer->entry_capacity *= 2;
		writer->entries =
			repalloc_huge(writer->entries, (Size) writer->entry_capacity * sizeof(IndexEntry));
	}
	writer->entries[writer->entry_count++] = *entry;
}

IndexSegment
SegmentWriterFinish(SegmentWriter *writer)
{
	while (writer->bucket < writer->segment.buckets)
		end_bucket(writer);
	for (uint32 i = 0; i < writer->overflow_count; i++)
		write_page(writer, (Page) (writer->overflow + (Size) i * BLCKSZ));
	if (writer->entries != NULL)
		pfree(writer->entries);
	if (writer->overflow != NULL)
		pfree(writer->overflow);
	IndexSpaceTrim(&writer->segment.space, writer->next_page);
	return writer->segment;
}
