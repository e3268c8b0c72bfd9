/*
 * pending.h
 *		Streams: rows that were inserted one at a time, and are in no segment yet.
 */
#ifndef NEARDUP_INDEX_PENDING_H
#define NEARDUP_INDEX_PENDING_H

#include "index/meta.h"

/*
 * Appends a row to the open stream, with ascending tokens. *pages becomes the number of pages that
 * the stream has filled. Inserts do this one after the other, since the metapage is locked
 * meanwhile. Returns false, and appends nothing, if the stream's space cannot grow any more; then
 * the stream must be flushed first.
 */
extern bool PendingAppend(Relation index, const ItemPointerData *tid, const Token *tokens,
						  uint32 count, uint32 *pages);

/*
 * Reads the rows of a stream in the order of their arrival, up to the end that the caller's copy of
 * the stream has; rows that are appended meanwhile are not read. Between calls the page of the
 * current row is pinned and share-locked.
 */
typedef struct PendingScan
{
	Relation index;
	const IndexStream *stream;
	Snapshot snapshot; /* NULL where it need not be tested for being too old */
	uint64 next;	   /* where the last row ended and the next one is, in bytes of payload */
	uint64 row;		   /* where the current row began */
	Buffer buffer;
	uint32 page;   /* that is locked */
	Token *tokens; /* a copy of those that go over a page; palloc'd */
	uint32 capacity;
} PendingScan;

extern void PendingScanBegin(PendingScan *scan, Relation index, const IndexStream *stream,
							 Snapshot snapshot);

/* Returns the next row, in the locked page until the next call, or NULL after the last one. */
extern const PendingRow *PendingScanNext(PendingScan *scan);

/*
 * Returns the tokens of the current row, valid until the next call; `size` is the size of the row.
 * The row's head is no longer valid: another page may be locked now.
 */
extern const Token *PendingScanTokens(PendingScan *scan, uint32 size);

/* Releases the page, and frees the memory. */
extern void PendingScanEnd(PendingScan *scan);

#endif
