/*
 * segment_store.h
 *		Where the pages of a segment are: in blocks of its index, or in a temporary file.
 *
 * An index that is built of more rows than memory holds begins as segments in files, which are then
 * merged into the index. Reading, writing and merging segments is the same for both.
 */
#ifndef NEARDUP_INDEX_SEGMENT_STORE_H
#define NEARDUP_INDEX_SEGMENT_STORE_H

#include "storage/buffile.h"

#include "index/page_io.h"

/* A temporary file of the pages of one segment. temp_file_limit and temp_tablespaces apply. */
typedef struct SegmentFile
{
	BufFile *file;

	/* Copies of pages that were read: page p is at place p modulo page_count, if any is. */
	uint32 page_count; /* 0 before SegmentFileCache */
	uint32 *numbers;
	char *pages;
} SegmentFile;

typedef struct SegmentStore
{
	Relation index;
	SegmentFile *file; /* NULL if the pages are in the index */
} SegmentStore;

/* Begins an empty file in the current memory context, and ends it. An error removes it, too. */
extern SegmentFile *SegmentFileCreate(void);
extern void SegmentFileClose(SegmentFile *file);

/* Appends a page. */
extern void SegmentFileWrite(SegmentFile *file, Page page);

/*
 * Makes room for this many pages in the current memory context, one at least. To be called after the
 * last page was written, and before the first one is read.
 */
extern void SegmentFileCache(SegmentFile *file, uint32 pages);

/* Returns a page, which is valid until the next call for the file. */
extern Page SegmentFileRead(SegmentFile *file, uint32 page);

/* A page that is being read; the page is NULL if there is none. */
typedef struct SegmentPage
{
	Page page;
	Buffer buffer; /* has the page pinned, and perhaps locked; invalid if the page is in a file */
} SegmentPage;

/* Returns a page of a segment, share-locked if it is in the index. */
static inline SegmentPage
SegmentPageRead(const SegmentStore *store, const IndexSegment *segment, uint32 page)
{
	SegmentPage at = {.buffer = InvalidBuffer};

	if (unlikely(store->file != NULL))
		at.page = SegmentFileRead(store->file, page);
	else
	{
		at.buffer = IndexPageRead(store->index, segment->id, &segment->space, page);
		at.page = BufferGetPage(at.buffer);
	}
	return at;
}

/* Unlocks a page, which stays pinned. */
static inline void
SegmentPageUnlock(const SegmentPage *at)
{
	if (BufferIsValid(at->buffer))
		LockBuffer(at->buffer, BUFFER_LOCK_UNLOCK);
}

/* Releases the pin of a page that is not locked, if there is a page. */
static inline void
SegmentPageUnpin(SegmentPage *at)
{
	if (BufferIsValid(at->buffer))
		ReleaseBuffer(at->buffer);
	*at = (SegmentPage){.buffer = InvalidBuffer};
}

/* Unlocks and releases a page, if there is one. */
static inline void
SegmentPageRelease(SegmentPage *at)
{
	SegmentPageUnlock(at);
	SegmentPageUnpin(at);
}

#endif
