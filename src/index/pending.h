/*
 * pending.h
 *		Streams: rows that were inserted one by one.
 */
#ifndef NEARDUP_INDEX_PENDING_H
#define NEARDUP_INDEX_PENDING_H

#include "index/meta.h"

/* Appends a row of sorted tokens to the open stream; returns the stream's pages. */
extern uint32 PendingAppend(Relation index, const ItemPointerData *tid, const Token *tokens,
							uint32 count);

typedef struct PendingScan
{
	Relation index;
	const IndexStream *stream;
	uint64 next; /* where the next row begins, in bytes of payload */
	uint64 row;	 /* where the present one began */
	Buffer buffer;
	uint32 page;
	Token *tokens; /* of a row that goes over a page */
	uint32 capacity;
} PendingScan;

extern void PendingScanBegin(PendingScan *scan, Relation index, const IndexStream *stream);

/* The next row, in a locked page, valid until the next call; NULL after the last one. */
extern const PendingRow *PendingScanNext(PendingScan *scan);

/* Its tokens; then the row itself is no longer valid. */
extern const Token *PendingScanTokens(PendingScan *scan, uint32 size);

extern void PendingScanEnd(PendingScan *scan);

#endif
