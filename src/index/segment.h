/*
 * segment.h
 *		Reading a segment. Errors as IndexPageRead; index_corrupted where what is read cannot be true:
 *		records, classes and counts that are returned are in their ranges.
 */
#ifndef NEARDUP_INDEX_SEGMENT_H
#define NEARDUP_INDEX_SEGMENT_H

#include "index/meta.h"
#include "index/postings.h"

/* Its size classes, palloc'd, with one more behind them: size 0, record_count. */
extern IndexSizeClass *SegmentClasses(Relation index, const IndexSegment *segment);

/* False if it has no such token. */
extern bool SegmentFindToken(Relation index, const IndexSegment *segment, Token token,
							 IndexEntry *entry);

/* The blocks of a list; between calls, its page is locked unless PostingScanEnd was called. */
typedef struct PostingScan
{
	Relation index;
	const IndexSegment *segment;
	IndexEntry entry;
	Buffer buffer;
	uint32 page;
	uint32 offset;
	uint32 left; /* postings, at most */
	int64 last;	 /* record */
	uint8 place;
	bool is_done;
} PostingScan;

/* The first block is the last one that may have a record before `record`. */
extern void PostingScanBegin(PostingScan *scan, Relation index, const IndexSegment *segment,
							 const IndexEntry *entry, uint32 record);

/* The block is in the locked page. False after the last one, then nothing is locked. */
extern bool PostingScanNext(PostingScan *scan, PostingBlock *block);

/* The block's records, ascending through all blocks. */
extern void PostingScanRecords(PostingScan *scan, const PostingBlock *block, uint32 *records);

extern void PostingScanEnd(PostingScan *scan);

/*
 * Elements of the tids or the signatures, by record. The page of the last one is locked, unless
 * the caller has the maintenance lock.
 */
typedef struct RecordTable
{
	Relation index;
	const IndexSegment *segment;
	uint32 first_page;
	uint32 per_page;
	uint32 element_size;
	uint32 page;
	bool is_locked;
	Buffer buffer;
} RecordTable;

extern void RecordTableTids(RecordTable *table, Relation index, const IndexSegment *segment,
							bool is_locked);
extern void RecordTableSignatures(RecordTable *table, Relation index, const IndexSegment *segment,
								  uint32 words, bool is_locked);
extern void RecordTableEnd(RecordTable *table);

extern void RecordTableLockPage(RecordTable *table, uint32 page);

/* Valid until the next call. */
static inline const void *
RecordTableGet(RecordTable *table, uint32 record)
{
	uint32 page = table->first_page + record / table->per_page;

	if (!BufferIsValid(table->buffer) || page != table->page)
		RecordTableLockPage(table, page);
	return PageGetContents(BufferGetPage(table->buffer)) +
		   (Size) (record % table->per_page) * table->element_size;
}

/* Reads a dictionary in the order of IndexTokenHash. */
typedef struct DictionaryScan
{
	Relation index;
	const IndexSegment *segment;
	IndexEntry *entries; /* of the bucket */
	uint32 capacity;
	uint32 count;
	uint32 next;
	uint32 bucket;
} DictionaryScan;

extern void DictionaryScanBegin(DictionaryScan *scan, Relation index, const IndexSegment *segment);

/* NULL after the last one. */
extern const IndexEntry *DictionaryScanNext(DictionaryScan *scan);

extern void DictionaryScanEnd(DictionaryScan *scan);

#endif
