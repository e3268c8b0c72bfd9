/*
 * maintain.c
 *		Keeping the parts of an index few: pending rows become segments, and segments are merged.
 *
 * A scan looks its tokens up in every segment, so there should be few. But merging two segments
 * writes both again, and merging each new segment into one large one would write the large one
 * again and again. So segments belong to levels, each of which holds SEGMENTS_PER_LEVEL times the
 * postings of the level below, and the segments of a level are merged when there are
 * SEGMENTS_PER_LEVEL of them. With four of 50,000 postings, for example, the fourth flush merges
 * them into one of 200,000, in the next level; the sixteenth merges four of these. So each posting
 * is written about once a level, and the number of segments grows with the logarithm of the
 * postings.
 *
 * All of this is done under the maintenance lock. So nobody else changes segments meanwhile, but
 * scans read what their view has, and inserts append to the open stream. A flush therefore closes
 * the stream first: the open stream becomes the closed one, to which nobody appends, and the next
 * insert begins another. The result becomes visible, and what it replaces is retired, in one change
 * of the metapage. So a view of the index has each row once, in a stream or in a segment.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "index/bulk.h"
#include "index/maintain.h"
#include "index/merge.h"
#include "index/page_io.h"
#include "index/pending.h"

/* How many segments of a level are merged, and also the factor between levels. */
#define SEGMENTS_PER_LEVEL 4

/* A segment of up to this many postings is in the lowest level. */
#define LOWEST_LEVEL 65536

/* If there are more segments than this, the smaller half is merged in any case. */
#define MANY_SEGMENTS (INDEX_SEGMENTS - 4)

/* A segment is written again if more than this fraction, 1/4, of its records are dead. */
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

/* Adds a segment, if it has records, and clears `building`, which named its blocks so far. */
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

/* Makes the open stream the closed one. There must be no closed stream. */
static void
close_stream(Relation index)
{
	IndexMetaChange change = IndexMetaBegin(index);

	change.meta->closed = change.meta->open;
	memset(&change.meta->open, 0, sizeof(change.meta->open));
	IndexMetaCommit(&change);
}

/* Reads rows from the stream's start on until the bulk is full, and moves the start behind them. */
static void
read_stream(Relation index, IndexStream *stream, Bulk *bulk)
{
	IndexStream whole = *stream;
	PendingScan scan;
	const PendingRow *row;

	PendingScanBegin(&scan, index, &whole, NULL);
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

/*
 * Makes the rows of the closed stream a segment, or as many as memory holds. If rows are left, the
 * stream begins behind the rows of the segment from now on; otherwise the stream is retired.
 */
static void
flush_closed(Relation index, IndexStream stream)
{
	IndexSegment segment = {0};
	IndexMetaChange change;
	Bulk bulk;

	BulkBegin(&bulk, (Size) maintenance_work_mem * 1024);
	read_stream(index, &stream, &bulk);
	if (!BulkIsEmpty(&bulk))
		segment = BulkWrite(&bulk, &(SegmentStore){.index = index});
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

/* Whether the metapage has room for one more segment and `retired` more retired parts. */
static bool
maintain_has_room(const IndexMeta *meta, uint32 retired)
{
	return meta->segment_count < INDEX_SEGMENTS && meta->retired_count + retired <= INDEX_RETIRED;
}

/* Whether the metapage has room for a flush, if need be after a merge, where the caller allows it. */
static bool
flush_has_room(Relation index, bool merges)
{
	IndexMeta meta = copy_meta(index);

	if (maintain_has_room(&meta, 1))
		return true;
	if (!merges)
		return false;
	IndexMerge(index, PG_UINT64_MAX);
	meta = copy_meta(index);
	return maintain_has_room(&meta, 1);
}

/* Makes all of the closed stream segments. Returns false if the metapage has no room for more. */
static bool
flush_whole(Relation index, bool merges)
{
	IndexMeta meta = copy_meta(index);

	for (; meta.closed.id != 0; meta = copy_meta(index))
	{
		if (!flush_has_room(index, merges))
			return false;
		/* A merge does not change the streams. */
		flush_closed(index, meta.closed);
	}
	return flush_has_room(index, merges);
}

/* There may be a closed stream already, which an earlier flush left: it failed, or had no room. */
void
IndexFlush(Relation index, bool merges)
{
	IndexReclaim(index);
	if (!flush_whole(index, merges) || copy_meta(index).open.row_count == 0)
		return;
	close_stream(index);
	flush_whole(index, merges);
}

/* Retires a segment. */
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

/*
 * Replaces segments by a single segment of their living records. There is room to retire the old
 * ones.
 */
static void
merge_segments(Relation index, const IndexSegment *sources, uint32 count)
{
	IndexSegment merged = MergeSegments(&(SegmentStore){.index = index}, sources, NULL, count);
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

/* Returns the level of a segment, 0 for the lowest. */
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

/*
 * Returns how many of the first segments to merge, 0 if none; they ascend by their postings. These
 * are all segments up to the last one of a full level, with the smaller segments of lower levels:
 * of segments of the levels 0, 1, 1, 1, 1, 2, the first five.
 */
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

/* Whether many of the segment's records are dead. */
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
		count = MergeRoom(meta.segments,
						  choose_smallest(meta.segments, meta.segment_count, most_postings));
		/* Scans that go on keep retired parts; what there is room for is merged all the same. */
		count = Min(count, INDEX_RETIRED - meta.retired_count);
		if (count < 2)
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
