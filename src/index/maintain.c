/*
 * maintain.c
 *		Keeping the parts of an index few.
 *
 * Segments are merged once there are several of one level, where each level holds so many times
 * the postings of the one below. So each row is merged once a level.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "index/bulk.h"
#include "index/maintain.h"
#include "index/merge.h"
#include "index/page_io.h"
#include "index/pending.h"

/* Segments of a level that are merged, and the factor between levels. */
#define SEGMENTS_PER_LEVEL 4

/* Postings of the lowest level. */
#define LOWEST_LEVEL 65536

/* Beyond this many segments, the smaller half is merged in any case. */
#define MANY_SEGMENTS (INDEX_SEGMENTS - 4)

/* A segment with this part of dead records is written anew. */
#define DEAD_PART 4

static IndexMeta
copy_meta(Relation index)
{
	const IndexMeta *meta;
	Buffer buffer = IndexMetaRead(index, &meta);
	IndexMeta copy = *meta;

	UnlockReleaseBuffer(buffer);
	return copy;
}

static void
add_segment(IndexMeta *meta, const IndexSegment *segment)
{
	if (segment->record_count > 0 && meta->segment_count == INDEX_SEGMENTS)
		elog(ERROR, "too many segments of the index");
	if (segment->record_count > 0)
		meta->segments[meta->segment_count++] = *segment;
	memset(&meta->building, 0, sizeof(meta->building));
}

void
IndexAddSegment(Relation index, const IndexSegment *segment)
{
	IndexMetaChange change = IndexMetaBegin(index);

	add_segment(change.meta, segment);
	IndexMetaCommit(&change);
}

static void
close_stream(Relation index)
{
	IndexMetaChange change = IndexMetaBegin(index);

	change.meta->closed = change.meta->open;
	memset(&change.meta->open, 0, sizeof(change.meta->open));
	IndexMetaCommit(&change);
}

/* Rows from the stream's start until the bulk is full; moves the start behind them. */
static void
read_stream(Relation index, IndexStream *stream, Bulk *bulk)
{
	IndexStream whole = *stream;
	PendingScan scan;
	const PendingRow *row;

	PendingScanBegin(&scan, index, &whole);
	while (!BulkIsFull(bulk) && (row = PendingScanNext(&scan)) != NULL)
	{
		ItemPointerData tid = row->tid;
		uint32 size = row->size;
		const Token *tokens = PendingScanTokens(&scan, size);

		for (uint32 i = 1; i < size; i++)
		{
			if (tokens[i - 1] >= tokens[i])
				IndexCorrupted(index, "A pending row's tokens do not ascend.");
		}
		if (ItemPointerIsValid(&tid))
			BulkAdd(bulk, &tid, tokens, size);
		stream->start = scan.next;
		stream->row_count--;
	}
	PendingScanEnd(&scan);
}

/* The closed stream becomes a segment, or its first rows do. */
static void
flush_closed(Relation index, IndexStream stream)
{
	IndexSegment segment = {0};
	IndexMetaChange change;
	Bulk bulk;

	BulkBegin(&bulk, (Size) maintenance_work_mem * 1024);
	read_stream(index, &stream, &bulk);
	if (!BulkIsEmpty(&bulk))
		segment = BulkWrite(&bulk, index);
	BulkEnd(&bulk);
	change = IndexMetaBegin(index);
	if (stream.start < stream.end)
		change.meta->closed = stream;
	else
	{
		IndexMetaRetire(change.meta, stream.id, &stream.space);
		memset(&change.meta->closed, 0, sizeof(change.meta->closed));
	}
	add_segment(change.meta, &segment);
	IndexMetaCommit(&change);
}

/* False where the metapage is full of what scans still see. */
static bool
has_room(const IndexMeta *meta, uint32 retired)
{
	return meta->segment_count < INDEX_SEGMENTS && meta->retired_count + retired <= INDEX_RETIRED;
}

/* False where there is no room for its segments. */
static bool
flush_whole(Relation index)
{
	IndexMeta meta = copy_meta(index);

	for (; meta.closed.id != 0; meta = copy_meta(index))
	{
		if (!has_room(&meta, 1))
			return false;
		flush_closed(index, meta.closed);
	}
	return has_room(&meta, 1);
}

/* The first stream may have been left by a flush that failed. */
void
IndexFlush(Relation index)
{
	IndexReclaim(index);
	if (!flush_whole(index) || copy_meta(index).open.row_count == 0)
		return;
	close_stream(index);
	flush_whole(index);
}

static void
remove_segment(IndexMeta *meta, uint64 id)
{
	for (uint32 i = 0; i < meta->segment_count; i++)
	{
		if (meta->segments[i].id != id)
			continue;
		IndexMetaRetire(meta, id, &meta->segments[i].space);
		memmove(&meta->segments[i], &meta->segments[i + 1],
				(meta->segment_count - i - 1) * sizeof(IndexSegment));
		meta->segment_count--;
		return;
	}
	elog(ERROR, "segment %llu of the index is gone", (unsigned long long) id);
}

static void
merge_segments(Relation index, const IndexSegment *sources, uint32 count)
{
	IndexSegment merged = MergeSegments(index, sources, count);
	IndexMetaChange change = IndexMetaBegin(index);

	for (uint32 i = 0; i < count; i++)
		remove_segment(change.meta, sources[i].id);
	add_segment(change.meta, &merged);
	IndexMetaCommit(&change);
	IndexReclaim(index);
}

static int
compare_segments(const void *a, const void *b)
{
	uint64 x = ((const IndexSegment *) a)->posting_count;
	uint64 y = ((const IndexSegment *) b)->posting_count;

	return x < y ? -1 : x > y;
}

static int
level_of(const IndexSegment *segment)
{
	uint64 limit = LOWEST_LEVEL;
	int level = 0;

	while (segment->posting_count > limit)
	{
		limit *= SEGMENTS_PER_LEVEL;
		level++;
	}
	return level;
}

/* Segments ascend by their postings. Returns how many of the first ones to merge. */
static uint32
choose_smallest(const IndexSegment *segments, uint32 count, uint64 most_postings)
{
	uint64 postings = 0;
	uint32 of_level = 0;
	uint32 chosen = 0;

	if (count > MANY_SEGMENTS)
		return count / 2;
	for (uint32 i = 0; i < count; i++)
	{
		postings += segments[i].posting_count;
		if (postings > most_postings)
			break;
		of_level = i > 0 && level_of(&segments[i]) == level_of(&segments[i - 1]) ? of_level + 1 : 1;
		if (of_level >= SEGMENTS_PER_LEVEL)
			chosen = i + 1;
	}
	return chosen;
}

static bool
is_worn(const IndexSegment *segment)
{
	return segment->dead_count > segment->record_count / DEAD_PART;
}

void
IndexMerge(Relation index, uint64 most_postings)
{
	for (;;)
	{
		IndexMeta meta = copy_meta(index);
		uint32 count;

		qsort(meta.segments, meta.segment_count, sizeof(IndexSegment), compare_segments);
		count = choose_smallest(meta.segments, meta.segment_count, most_postings);
		if (count < 2 || meta.retired_count + count > INDEX_RETIRED)
			break;
		merge_segments(index, meta.segments, count);
	}
}

void
IndexRewriteWorn(Relation index)
{
	IndexMeta meta = copy_meta(index);

	for (uint32 i = 0; i < meta.segment_count; i++)
	{
		if (is_worn(&meta.segments[i]) && copy_meta(index).retired_count < INDEX_RETIRED)
			merge_segments(index, &meta.segments[i], 1);
	}
}

void
IndexMergeAll(Relation index)
{
	IndexMeta meta = copy_meta(index);

	if (meta.segment_count > 1)
		merge_segments(index, meta.segments, meta.segment_count);
}
