/*
 * pending.c
 *		Streams: rows that were inserted one at a time, and are in no segment yet.
 *
 * A stream is a sequence of bytes, the payloads of its pages one after the other. A row begins
 * where the last one ended. Only its head may not go over the end of a page; it then begins in the
 * next one. Tokens may go over pages: as the sizes of head, token and payload are multiples of
 * eight, no token is cut.
 *
 * Appending must leave the stream as it was if the server crashes halfway. Therefore pages that the
 * row begins are written and logged first. They lie behind the stream's end, where nobody reads,
 * and the next row overwrites them. Then one WAL record changes the page in which the row begins,
 * if others are there, and the end of the stream in the metapage.
 *
 * A reader has copied the stream from the metapage, and reads up to the end that it had. What lies
 * before this end does not move; only the TIDs of dead rows change. So a share lock of the page
 * suffices.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "index/page_io.h"
#include "index/pending.h"
#include "index/signature.h"

/* Pages that a stream gets first. Later it gets as many as it has, so that its extents stay few. */
#define FIRST_PAGES 8

/* Returns where the head of a row is if the row before it ended at `end`. */
static uint64
head_position(uint64 end)
{
	uint32 left = INDEX_PAYLOAD - (uint32) (end % INDEX_PAYLOAD);

	return left < sizeof(PendingRow) ? end + left : end;
}

/* What is still to be written of a row. */
typedef struct RowBytes
{
	PendingRow head;
	const char *tokens;
	uint64 head_left;	/* bytes */
	uint64 tokens_left; /* bytes */
} RowBytes;

/* Appends as much of the row to a page as it has room for; the head always fits. */
static void
put_bytes(Page page, RowBytes *row)
{
	uint32 room = INDEX_PAYLOAD - IndexPageUsed(page);
	uint32 tokens;

	if (row->head_left > 0)
	{
		IndexPageAppend(page, &row->head, sizeof(PendingRow));
		room -= sizeof(PendingRow);
		row->head_left = 0;
	}
	tokens = (uint32) Min(row->tokens_left, room);
	IndexPageAppend(page, row->tokens, tokens);
	row->tokens += tokens;
	row->tokens_left -= tokens;
}

/* Writes the rest of a row to pages that hold nothing else, beginning with `page`. */
static void
write_fresh_pages(Relation index, const IndexStream *stream, uint32 page, RowBytes *row)
{
	PGAlignedBlock block;

	for (; row->head_left + row->tokens_left > 0; page++)
	{
		IndexPageInit((Page) block.data, stream->id);
		put_bytes((Page) block.data, row);
		IndexPageWrite(index, MAIN_FORKNUM, IndexSpaceBlock(&stream->space, page),
					   (Page) block.data);
	}
}

/* Ensures that the stream has pages up to `end`, a position in bytes. False if it cannot have them. */
static bool
make_space(IndexMeta *meta, IndexStream *stream, uint64 end)
{
	uint32 needed = (uint32) ((end + INDEX_PAYLOAD - 1) / INDEX_PAYLOAD);
	uint32 pages = stream->space.pages;

	return needed <= pages ||
		   IndexSpaceGrow(meta, &stream->space, Max(needed - pages, Max(pages, FIRST_PAGES)));
}

bool
PendingAppend(Relation index, const ItemPointerData *tid, const Token *tokens, uint32 count,
			  uint32 *pages)
{
	IndexMetaChange change = IndexMetaBegin(index);
	IndexStream *stream = &change.meta->open;
	uint64 start = head_position(stream->end);
	uint64 end = start + sizeof(PendingRow) + (uint64) count * sizeof(Token);
	uint32 page = (uint32) (start / INDEX_PAYLOAD);
	RowBytes row = {.head = {.tid = *tid, .size = count},
					.tokens = (const char *) tokens,
					.head_left = sizeof(PendingRow),
					.tokens_left = (uint64) count * sizeof(Token)};
	RowBytes rest;
	Buffer buffer = InvalidBuffer;

	IndexSignatureMake(&row.head.signature, 1, tokens, count);
	if (stream->id == 0)
		stream->id = change.meta->next_id++;
	if (!make_space(change.meta, stream, end))
	{
		IndexMetaAbandon(&change);
		return false;
	}
	if (start % INDEX_PAYLOAD != 0)
	{
		Page last;

		buffer = IndexPageLock(index, stream->id, &stream->space, page, BUFFER_LOCK_EXCLUSIVE);
		last = GenericXLogRegisterBuffer(change.state, buffer, 0);
		if (IndexPageUsed(last) != start % INDEX_PAYLOAD)
			IndexCorrupted(index, "The last pending row does not end where it should.");
		put_bytes(last, &row);
		page++;
	}
	rest = row;
	write_fresh_pages(index, stream, page, &rest);
	stream->end = end;
	stream->row_count++;
	*pages = (uint32) (end / INDEX_PAYLOAD);
	IndexMetaCommit(&change);
	if (BufferIsValid(buffer))
		UnlockReleaseBuffer(buffer);
	return true;
}

void
PendingScanBegin(PendingScan *scan, Relation index, const IndexStream *stream, Snapshot snapshot)
{
	scan->index = index;
	scan->stream = stream;
	scan->snapshot = snapshot;
	scan->next = scan->row = stream->start;
	scan->buffer = InvalidBuffer;
	scan->tokens = NULL;
	scan->capacity = 0;
}

static void
release_page(PendingScan *scan)
{
	if (BufferIsValid(scan->buffer))
		UnlockReleaseBuffer(scan->buffer);
	scan->buffer = InvalidBuffer;
}

/* Returns the `size` bytes at a position, all in one page, which is locked. */
static char *
lock_position(PendingScan *scan, uint64 position, uint32 size)
{
	uint32 page = (uint32) (position / INDEX_PAYLOAD);
	uint32 offset = (uint32) (position % INDEX_PAYLOAD);

	if (!BufferIsValid(scan->buffer) || page != scan->page)
	{
		release_page(scan);
		CHECK_FOR_INTERRUPTS();
		scan->buffer = IndexPageRead(scan->index, scan->stream->id, &scan->stream->space, page);
		scan->page = page;
		nd_test_for_old_snapshot(scan->snapshot, scan->index, BufferGetPage(scan->buffer));
	}
	if (offset + size > IndexPageUsed(BufferGetPage(scan->buffer)))
		IndexCorrupted(scan->index, "A pending row is not all there.");
	return PageGetContents(BufferGetPage(scan->buffer)) + offset;
}

const PendingRow *
PendingScanNext(PendingScan *scan)
{
	const PendingRow *row;

	if (scan->next >= scan->stream->end)
	{
		release_page(scan);
		return NULL;
	}
	scan->row = head_position(scan->next);
	row = (const PendingRow *) lock_position(scan, scan->row, sizeof(PendingRow));
	scan->next = scan->row + sizeof(PendingRow) + (uint64) row->size * sizeof(Token);
	if (scan->next > scan->stream->end)
		IndexCorrupted(scan->index, "A pending row is too large.");
	return row;
}

const Token *
PendingScanTokens(PendingScan *scan, uint32 size)
{
	uint64 position = scan->row + sizeof(PendingRow);
	uint64 left = (uint64) size * sizeof(Token);
	char *to;

	if (position % INDEX_PAYLOAD + left <= INDEX_PAYLOAD && position % INDEX_PAYLOAD != 0)
		return (const Token *) lock_position(scan, position, (uint32) left);
	if (size > scan->capacity)
	{
		if (scan->tokens != NULL)
			pfree(scan->tokens);
		scan->tokens = palloc_extended(left, MCXT_ALLOC_HUGE);
		scan->capacity = size;
	}
	to = (char *) scan->tokens;
	while (left > 0)
	{
		uint32 step = (uint32) Min(left, INDEX_PAYLOAD - position % INDEX_PAYLOAD);

		memcpy(to, lock_position(scan, position, step), step);
		to += step;
		position += step;
		left -= step;
	}
	return scan->tokens;
}

void
PendingScanEnd(PendingScan *scan)
{
	release_page(scan);
	if (scan->tokens != NULL)
		pfree(scan->tokens);
}
