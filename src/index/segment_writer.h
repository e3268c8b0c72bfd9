/*
 * segment_writer.h
 *		Writing a segment, part by part in the order of the functions here.
 *
 * The caller holds the maintenance lock. Until it adds the segment to the metapage, the segment is
 * no part of the index.
 */
#ifndef NEARDUP_INDEX_SEGMENT_WRITER_H
#define NEARDUP_INDEX_SEGMENT_WRITER_H

#include "index/meta.h"
#include "index/postings.h"

typedef struct SegmentWriter
{
	Relation index;
	uint32 signature_words;
	IndexSegment segment;
	uint32 next_page;
	PGAlignedBlock block; /* the page that is being filled */

	/* Of the list, not in a block yet. */
	IndexEntry entry;
	uint32 records[POSTINGS_PER_BLOCK];
	uint8 places[POSTINGS_PER_BLOCK];
	uint32 pending;

	/* Of the bucket. */
	IndexEntry *entries;
	uint32 entry_count;
	uint32 entry_capacity;
	uint32 bucket;
	char *overflow; /* pages behind the buckets */
	uint32 overflow_count;
} SegmentWriter;

/* Frees what an unfinished segment had. `pages` is an estimate. */
extern void SegmentWriterBegin(SegmentWriter *writer, Relation index, uint32 pages);

extern void SegmentWriterClasses(SegmentWriter *writer, const IndexSizeClass *classes,
								 uint32 class_count, uint32 record_count);

/* Of each record. */
extern void SegmentWriterTid(SegmentWriter *writer, const ItemPointerData *tid);
extern void SegmentWriterSignature(SegmentWriter *writer, const uint64 *signature);

/* Postings of a list in ascending order; then ends it. */
extern void SegmentWriterBeginLists(SegmentWriter *writer);
extern void SegmentWriterPosting(SegmentWriter *writer, uint32 record, uint32 place);
extern IndexEntry SegmentWriterEndList(SegmentWriter *writer, Token token);

/* The entries of all lists, in the order of IndexTokenHash. */
extern void SegmentWriterBeginDictionary(SegmentWriter *writer, uint32 token_count);
extern void SegmentWriterEntry(SegmentWriter *writer, const IndexEntry *entry);

/* The segment, its blocks in the metapage's `building`. */
extern IndexSegment SegmentWriterFinish(SegmentWriter *writer);

#endif
