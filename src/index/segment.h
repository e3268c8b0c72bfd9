/*
 * segment.h
 *		Reading a segment.
 *
 * All functions raise the errors of IndexPageRead. They also raise index_corrupted where what they
 * read is impossible, so that records, classes and counts that they return are in their ranges, and
 * callers may use them to index arrays.
 */
#ifndef NEARDUP_INDEX_SEGMENT_H
#define NEARDUP_INDEX_SEGMENT_H

#include "index/postings.h"
#include "index/segment_store.h"

/*
 * Returns the size classes of a segment, palloc'd. Behind the last one is another whose first
 * record is record_count, so that classes[c + 1].first is where class c ends.
 */
extern IndexSizeClass *SegmentClasses(const SegmentStore *store, const IndexSegment *segment);

/*
 * Looks tokens up in the dictionary, ascending by IndexTokenHash. The page of the last one stays
 * pinned and share-locked.
 */
typedef struct DictionarySearch
{
	const SegmentStore *store;
	const IndexSegment *segment;
	SegmentPage at;
	uint32 page;   /* that is locked */
	uint32 bucket; /* of this page */
} DictionarySearch;

extern void DictionarySearchBegin(DictionarySearch *search, const SegmentStore *store,
								  const IndexSegment *segment);

/* Returns false if the segment does not have the token. */
extern bool DictionarySearchFind(DictionarySearch *search, Token token, IndexEntry *entry);

/* Releases the page. */
extern void DictionarySearchEnd(DictionarySearch *search);

/*
 * Reads the blocks of a list. From PostingScanBegin on, the current page is pinned and
 * share-locked, so that the caller can read a block in place. It locks no other page meanwhile.
 */
typedef struct PostingScan
{
	const SegmentStore *store;
	const IndexSegment *segment;
	IndexEntry entry; /* of the list */
	SegmentPage at;
	uint32 page;   /* that is locked, from the first page of the postings on */
	uint32 offset; /* of the next block in its payload */
	uint32 left;   /* postings that may still come; more are an error */
	int64 last;	   /* record that was read last, -1 before the first */
	uint8 place;   /* of a list's only posting */
	bool is_done;
} PostingScan;

/*
 * Begins with the block that may have `record`: the last one whose first record is not greater, or
 * the first block of the list. So the first block may also have lesser records.
 */
extern void PostingScanBegin(PostingScan *scan, const SegmentStore *store,
							 const IndexSegment *segment, const IndexEntry *entry, uint32 record);

/*
 * Reads the header of the next block, which lies in the locked page until the next call. Returns
 * false after the last block; then no page is locked.
 */
extern bool PostingScanNext(PostingScan *scan, PostingBlock *block);

/* Writes the records of a block, which ascend within a block and from block to block. */
extern void PostingScanRecords(PostingScan *scan, const PostingBlock *block, uint32 *records);

/* Releases the page. To be called if the scan ends before PostingScanNext has returned false. */
extern void PostingScanEnd(PostingScan *scan);

/*
 * Reads the TIDs or the signatures, by record; ascending records read each page once. The page of
 * the last element stays pinned. It also stays share-locked if `is_locked`; a caller that holds the
 * maintenance lock needs no such lock, since nobody else changes these pages.
 */
typedef struct RecordTable
{
	const SegmentStore *store;
	const IndexSegment *segment;
	Snapshot snapshot; /* NULL where it need not be tested for being too old */
	uint32 first_page;
	uint32 per_page;	 /* elements */
	uint32 element_size; /* in bytes */
	uint32 page;		 /* of the last element */
	bool is_locked;
	SegmentPage at;
} RecordTable;

extern void RecordTableTids(RecordTable *table, const SegmentStore *store,
							const IndexSegment *segment, Snapshot snapshot, bool is_locked);
extern void RecordTableSignatures(RecordTable *table, const SegmentStore *store,
								  const IndexSegment *segment, uint32 words, bool is_locked);

/* Releases the page. */
extern void RecordTableEnd(RecordTable *table);

/* Releases the last page, and reads another one. For RecordTableGet. */
extern void RecordTableLockPage(RecordTable *table, uint32 page);

/* Returns the element of a record, which is valid until the next call for the table. */
static inline const void *
RecordTableGet(RecordTable *table, uint32 record)
{
	uint32 page = table->first_page + record / table->per_page;

	if (table->at.page == NULL || page != table->page)
		RecordTableLockPage(table, page);
	return PageGetContents(table->at.page) +
		   (Size) (record % table->per_page) * table->element_size;
}

/* Reads all entries of a dictionary, ascending by IndexTokenHash, a bucket at a time. */
typedef struct DictionaryScan
{
	const SegmentStore *store;
	const IndexSegment *segment;
	IndexEntry *entries; /* a copy of the bucket's; palloc'd */
	uint32 capacity;
	uint32 count;
	uint32 next;   /* entry */
	uint32 bucket; /* that comes next */
	uint64 hash;   /* of the last entry's token, if there is one */
	bool is_begun; /* there is a last entry */
} DictionaryScan;

extern void DictionaryScanBegin(DictionaryScan *scan, const SegmentStore *store,
								const IndexSegment *segment);

/* Returns the next entry, valid until the next call, or NULL after the last one. Locks no page. */
extern const IndexEntry *DictionaryScanNext(DictionaryScan *scan);

extern void DictionaryScanEnd(DictionaryScan *scan);

#endif
