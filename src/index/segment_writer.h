/*
 * segment_writer.h
 *		Writing a segment, part by part in the order of the functions here.
 *
 * The caller holds the maintenance lock from SegmentWriterBegin until it has added the segment to
 * the metapage. Until then the segment is no part of the index: its blocks are named by `building`
 * in the metapage, nobody reads them, and after an error the next segment takes them over.
 */
#ifndef NEARDUP_INDEX_SEGMENT_WRITER_H
#define NEARDUP_INDEX_SEGMENT_WRITER_H

#include "index/postings.h"
#include "index/segment_store.h"

typedef struct SegmentWriter
{
	SegmentStore store;
	uint32 signature_words;
	IndexSegment segment;
	uint32 next_page;	  /* of the segment; where `block` will be written */
	PGAlignedBlock block; /* the page that is being filled */

	/* The current list: its entry so far, and postings that are not in a block yet. */
	IndexEntry entry;
	uint32 records[POSTINGS_PER_BLOCK];
	uint8 places[POSTINGS_PER_BLOCK];
	uint32 pending; /* postings not in a block */

	/* The bucket of the dictionary whose entries are being collected. */
	IndexEntry *entries;
	uint32 entry_count;
	uint32 entry_capacity;
	uint32 bucket;
	char *overflow; /* pages that will follow the last bucket */
	uint32 overflow_count;
} SegmentWriter;

/*
 * Begins a segment, in the index or in an empty file. In the index, frees the blocks of one that was
 * not finished, and reserves about `pages` pages, an estimate; more are reserved as they are needed.
 * Arrays of the writer are in the current memory context.
 */
extern void SegmentWriterBegin(SegmentWriter *writer, const SegmentStore *store, uint32 pages);

/* Writes the size classes, ascending, each with a record at least. */
extern void SegmentWriterClasses(SegmentWriter *writer, const IndexSizeClass *classes,
								 uint32 class_count, uint32 record_count);

/* Write the TID of each record, and then the signature of each record, by record number. */
extern void SegmentWriterTid(SegmentWriter *writer, const ItemPointerData *tid);
extern void SegmentWriterSignature(SegmentWriter *writer, const uint64 *signature);

/*
 * Writes the postings of a list, ascending by record. SegmentWriterEndList ends the list, and
 * returns its entry for the dictionary. Lists come from the rarest token to the most frequent one.
 */
extern void SegmentWriterBeginLists(SegmentWriter *writer);
extern void SegmentWriterPosting(SegmentWriter *writer, uint32 record, uint32 place);
extern IndexEntry SegmentWriterEndList(SegmentWriter *writer, Token token);

/* Writes the entries of all lists, in the order of IndexTokenHash. */
extern void SegmentWriterBeginDictionary(SegmentWriter *writer, uint32 token_count);
extern void SegmentWriterEntry(SegmentWriter *writer, const IndexEntry *entry);

/*
 * Writes what is left, and returns the segment, which the caller adds to the metapage unless it is
 * in a file.
 */
extern IndexSegment SegmentWriterFinish(SegmentWriter *writer);

#endif
