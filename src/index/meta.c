/*
 * meta.c
 *		The metapage: what the index consists of, and which blocks are free.
 *
 * There is no map of free blocks: a block is free if no part that the metapage names has it. So a
 * crash loses no block. What was being written is named by `building` alone, and the next segment
 * takes its blocks. To find a gap, all extents are sorted; they are a few hundred at most.
 *
 * Every change of what the index consists of is one WAL record of the metapage, and of the pages
 * that become visible with it. A reader copies the metapage under a share lock, and so sees the
 * index either before the change or after it.
 *
 * Blocks that were replaced must not be overwritten while a scan reads them. The scan that could
 * still do so has copied the metapage before the part was retired, and while it held the lock of
 * the metapage, it pinned the first page of the part. A scan that begins later does not see the
 * part at all, so the number of such pins can only fall. Once a cleanup lock of that page can be
 * had, which means that nobody else has a pin on it, the blocks of the part are free.
 */
#include "postgres.h"

#include "catalog/pg_class_d.h"
#include "storage/lock.h"

#include "index/meta.h"
#include "index/page_io.h"

/*
 * The first extents of a space may lie in gaps. Later ones lie behind all others, where an extent
 * can grow as long as nothing else is put behind it, so that INDEX_EXTENTS suffice.
 */
#define EXTENTS_IN_GAPS 4

/* A gap is used only if it is larger than this fraction, 1/4, of the pages that are needed. */
#define LEAST_PART_IN_GAP 4

#define MOST_EXTENTS ((INDEX_SEGMENTS + INDEX_RETIRED + 3) * INDEX_EXTENTS)

void
IndexMetaCreate(Relation index, ForkNumber fork, uint32 signature_words)
{
	PGAlignedBlock block;
	IndexMeta meta;

	memset(&meta, 0, sizeof(meta));
	meta.magic = INDEX_MAGIC;
	meta.version = INDEX_VERSION;
	meta.next_id = 1;
	meta.signature_words = signature_words;
	IndexPageInit((Page) block.data, 0);
	IndexPageAppend((Page) block.data, &meta, sizeof(meta));
	IndexPageWrite(index, fork, INDEX_METAPAGE, (Page) block.data);
}

static bool
is_space(const IndexSpace *space)
{
	uint64 pages = 0;

	if (space->extent_count > INDEX_EXTENTS)
		return false;
	for (uint32 i = 0; i < space->extent_count; i++)
	{
		const IndexExtent *extent = &space->extents[i];

		if (extent->first == INDEX_METAPAGE || extent->first > MaxBlockNumber - extent->blocks)
			return false;
		pages += extent->blocks;
	}
	return pages == space->pages;
}

/* Whether each part of the segment lies within it, and has the pages that its elements need. */
static bool
is_segment(const IndexSegment *segment, uint32 signature_words)
{
	return is_space(&segment->space) && segment->class_count > 0 &&
		   segment->record_count >= segment->class_count &&
		   segment->dead_count <= segment->record_count && segment->tids <= segment->signatures &&
		   segment->signatures <= segment->postings && segment->postings <= segment->dictionary &&
		   segment->dictionary <= segment->space.pages &&
		   segment->buckets <= segment->space.pages - segment->dictionary &&
		   segment->class_count <= (uint64) segment->tids * CLASSES_PER_PAGE &&
		   segment->record_count <=
			   (uint64) (segment->signatures - segment->tids) * TIDS_PER_PAGE &&
		   segment->record_count <= (uint64) (segment->postings - segment->signatures) *
										SignaturesPerPage(signature_words);
}

static bool
is_stream(const IndexStream *stream)
{
	return is_space(&stream->space) && stream->start <= stream->end &&
		   stream->end <= (uint64) stream->space.pages * INDEX_PAYLOAD;
}

/* Whether readers may rely on the figures: arrays, extents and pages are within their bounds. */
static bool
is_metapage(const IndexMeta *meta)
{
	if (meta->signature_words == 0 || meta->signature_words > INDEX_MAX_SIGNATURE_WORDS ||
		(meta->signature_words & (meta->signature_words - 1)) != 0 ||
		meta->segment_count > INDEX_SEGMENTS || meta->retired_count > INDEX_RETIRED ||
		!is_stream(&meta->open) || !is_stream(&meta->closed) || !is_space(&meta->building))
		return false;
	for (uint32 i = 0; i < meta->segment_count; i++)
	{
		if (!is_segment(&meta->segments[i], meta->signature_words))
			return false;
	}
	for (uint32 i = 0; i < meta->retired_count; i++)
	{
		if (!is_space(&meta->retired[i].space))
			return false;
	}
	return true;
}

/* Locks the metapage in the given mode, and checks it. */
static Buffer
lock_metapage(Relation index, int mode)
{
	Buffer buffer = ReadBuffer(index, INDEX_METAPAGE);
	const IndexMeta *meta;

	LockBuffer(buffer, mode);
	meta = IndexPageMeta(BufferGetPage(buffer));
	if (PageIsNew(BufferGetPage(buffer)) || meta->magic != INDEX_MAGIC)
		ereport(ERROR, (errcode(ERRCODE_INDEX_CORRUPTED),
						errmsg("index \"%s\" has no metapage", RelationGetRelationName(index)),
						errhint("Please REINDEX it.")));
	if (meta->version != INDEX_VERSION)
		ereport(ERROR, (errcode(ERRCODE_INDEX_CORRUPTED),
						errmsg("index \"%s\" has unknown version %u",
							   RelationGetRelationName(index), meta->version),
						errhint("Please REINDEX it.")));
	if (!is_metapage(meta))
		IndexCorrupted(index, "The metapage is damaged.");
	return buffer;
}

Buffer
IndexMetaRead(Relation index, const IndexMeta **meta)
{
	Buffer buffer = lock_metapage(index, BUFFER_LOCK_SHARE);

	*meta = IndexPageMeta(BufferGetPage(buffer));
	return buffer;
}

IndexMetaChange
IndexMetaBegin(Relation index)
{
	IndexMetaChange change;

	change.buffer = lock_metapage(index, BUFFER_LOCK_EXCLUSIVE);
	change.state = GenericXLogStart(index);
	change.meta = IndexPageMeta(GenericXLogRegisterBuffer(change.state, change.buffer, 0));
	return change;
}

void
IndexMetaCommit(IndexMetaChange *change)
{
	GenericXLogFinish(change->state);
	UnlockReleaseBuffer(change->buffer);
}

void
IndexMetaAbandon(IndexMetaChange *change)
{
	GenericXLogAbort(change->state);
	UnlockReleaseBuffer(change->buffer);
}

/* Copies the extents of a space behind the first `count` ones; returns how many there are then. */
static uint32
add_extents(IndexExtent *extents, uint32 count, const IndexSpace *space)
{
	memcpy(extents + count, space->extents, space->extent_count * sizeof(IndexExtent));
	return count + space->extent_count;
}

static int
compare_extents(const void *a, const void *b)
{
	BlockNumber x = ((const IndexExtent *) a)->first;
	BlockNumber y = ((const IndexExtent *) b)->first;

	return x < y ? -1 : x > y;
}

/* Writes the extents of all blocks that are not free, ascending; the metapage comes first. */
static uint32
used_extents(const IndexMeta *meta, IndexExtent *extents)
{
	uint32 count = 0;

	extents[count++] = (IndexExtent){.first = INDEX_METAPAGE, .blocks = 1};
	count = add_extents(extents, count, &meta->open.space);
	count = add_extents(extents, count, &meta->closed.space);
	count = add_extents(extents, count, &meta->building);
	for (uint32 i = 0; i < meta->segment_count; i++)
		count = add_extents(extents, count, &meta->segments[i].space);
	for (uint32 i = 0; i < meta->retired_count; i++)
		count = add_extents(extents, count, &meta->retired[i].space);
	qsort(extents, count, sizeof(IndexExtent), compare_extents);
	return count;
}

static inline BlockNumber
end_of(const IndexExtent *extent)
{
	return extent->first + extent->blocks;
}

static void
check_extents(const IndexExtent *extents, uint32 count)
{
	for (uint32 i = 1; i < count; i++)
	{
		if (end_of(&extents[i - 1]) > extents[i].first)
			ereport(ERROR, (errcode(ERRCODE_INDEX_CORRUPTED),
							errmsg("block %u of the index is used twice", extents[i].first),
							errhint("Please REINDEX it.")));
	}
}

void
IndexMetaCheckSpaces(const IndexMeta *meta)
{
	IndexExtent extents[MOST_EXTENTS + 1];

	check_extents(extents, used_extents(meta, extents));
}

/*
 * Returns the smallest gap that has enough pages, or else the largest gap. If that one is too
 * small, or the space has enough extents in gaps, returns the blocks behind all others.
 */
static IndexExtent
choose_gap(const IndexMeta *meta, const IndexSpace *space, uint32 pages)
{
	IndexExtent extents[MOST_EXTENTS + 1];
	uint32 count = used_extents(meta, extents);
	IndexExtent best = {0};

	check_extents(extents, count);
	for (uint32 i = 0; i + 1 < count && space->extent_count < EXTENTS_IN_GAPS; i++)
	{
		IndexExtent gap = {.first = end_of(&extents[i]),
						   .blocks = extents[i + 1].first - end_of(&extents[i])};

		if (best.blocks < pages ? gap.blocks > best.blocks
								: gap.blocks >= pages && gap.blocks < best.blocks)
			best = gap;
	}
	if (best.blocks > pages / LEAST_PART_IN_GAP)
		return best;
	return (IndexExtent){.first = end_of(&extents[count - 1]), .blocks = pages};
}

bool
IndexSpaceGrow(IndexMeta *meta, IndexSpace *space, uint32 pages)
{
	while (pages > 0)
	{
		IndexExtent gap = choose_gap(meta, space, pages);
		IndexExtent *last = &space->extents[space->extent_count];

		gap.blocks = Min(gap.blocks, pages);
		if (gap.first > MaxBlockNumber - gap.blocks)
			ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("index is too large")));
		if (space->extent_count > 0 && end_of(last - 1) == gap.first)
			last[-1].blocks += gap.blocks;
		else if (space->extent_count == INDEX_EXTENTS)
			return false;
		else
		{
			*last = gap;
			space->extent_count++;
		}
		space->pages += gap.blocks;
		pages -= gap.blocks;
	}
	return true;
}

void
IndexSpaceScattered(Relation index)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("free space of index \"%s\" is too scattered", RelationGetRelationName(index)),
			 errhint("Please REINDEX it.")));
}

void
IndexSpaceTrim(IndexSpace *space, uint32 pages)
{
	while (space->pages > pages)
	{
		IndexExtent *last = &space->extents[space->extent_count - 1];
		uint32 excess = Min(last->blocks, space->pages - pages);

		last->blocks -= excess;
		space->pages -= excess;
		if (last->blocks == 0)
			space->extent_count--;
	}
}

void
IndexMetaRetire(IndexMeta *meta, uint64 id, const IndexSpace *space)
{
	if (space->pages == 0)
		return;
	if (meta->retired_count == INDEX_RETIRED)
		elog(ERROR, "too many retired parts of the index");
	meta->retired[meta->retired_count++] = (IndexRetired){.id = id, .space = *space};
}

/*
 * Whether no scan reads a retired part. ConditionalLockBufferForCleanup counts the pins of this
 * backend too, so that its own cursors keep what they read. A first page beyond the end of the
 * relation was never written, and nobody can have pinned it.
 */
static bool
is_unseen(Relation index, const IndexRetired *retired)
{
	BlockNumber block = retired->space.extents[0].first;
	Buffer buffer;
	bool is_unpinned;

	if (block >= RelationGetNumberOfBlocks(index))
		return true;
	buffer = ReadBuffer(index, block);
	is_unpinned = ConditionalLockBufferForCleanup(buffer);
	if (is_unpinned)
		LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	ReleaseBuffer(buffer);
	return is_unpinned;
}

void
IndexReclaim(Relation index)
{
	const IndexMeta *meta;
	Buffer buffer = IndexMetaRead(index, &meta);
	uint32 retired_count = meta->retired_count;
	IndexRetired kept[INDEX_RETIRED];
	uint32 count = 0;
	IndexMetaChange change;

	memcpy(kept, meta->retired, sizeof(kept));
	UnlockReleaseBuffer(buffer);
	for (uint32 i = 0; i < retired_count; i++)
	{
		if (!is_unseen(index, &kept[i]))
			kept[count++] = kept[i];
	}
	if (count == retired_count)
		return;
	change = IndexMetaBegin(index);
	memcpy(change.meta->retired, kept, count * sizeof(IndexRetired));
	change.meta->retired_count = count;
	IndexMetaCommit(&change);
}

/* Blocks that are reserved for a part may lie beyond the end of the file. */
uint32
IndexFreePages(Relation index, uint32 *retired)
{
	const IndexMeta *meta;
	Buffer buffer = IndexMetaRead(index, &meta);
	uint32 used = 1 + meta->open.space.pages + meta->closed.space.pages;
	BlockNumber pages = RelationGetNumberOfBlocks(index);

	*retired = 0;
	for (uint32 i = 0; i < meta->segment_count; i++)
		used += meta->segments[i].space.pages;
	for (uint32 i = 0; i < meta->retired_count; i++)
		*retired += meta->retired[i].space.pages;
	UnlockReleaseBuffer(buffer);
	used += *retired;
	return pages > used ? pages - used : 0;
}

/*
 * Returns the tag of a lock on an object: a part of the index that does not exist. A page lock
 * would not do: while a backend holds one, it may lock no relation, and building an index reads
 * TOAST tables.
 */
static LOCKTAG
maintenance_tag(Relation index)
{
	LOCKTAG tag;

	SET_LOCKTAG_OBJECT(tag, index->rd_lockInfo.lockRelId.dbId, RelationRelationId,
					   RelationGetRelid(index), 1);
	return tag;
}

bool
IndexMaintenanceLock(Relation index, bool wait)
{
	LOCKTAG tag = maintenance_tag(index);

	return LockAcquire(&tag, ExclusiveLock, false, !wait) != LOCKACQUIRE_NOT_AVAIL;
}

void
IndexMaintenanceUnlock(Relation index)
{
	LOCKTAG tag = maintenance_tag(index);

	LockRelease(&tag, ExclusiveLock, false);
}

/* Pins the first page of a part. The caller holds the lock of the metapage. */
static void
pin_first_page(IndexView *view, const IndexSpace *space)
{
	if (space->pages > 0)
		view->pins[view->pin_count++] = ReadBuffer(view->store.index, space->extents[0].first);
}

void
IndexViewOpen(IndexView *view, Relation index, Snapshot snapshot)
{
	const IndexMeta *meta;
	Buffer buffer = IndexMetaRead(index, &meta);

	nd_test_for_old_snapshot(snapshot, index, BufferGetPage(buffer));
	view->store = (SegmentStore){.index = index};
	view->snapshot = snapshot;
	view->signature_words = meta->signature_words;
	view->segment_count = meta->segment_count;
	view->pin_count = 0;
	view->streams[0] = meta->closed;
	view->streams[1] = meta->open;
	memcpy(view->segments, meta->segments, meta->segment_count * sizeof(IndexSegment));
	for (int i = 0; i < 2; i++)
		pin_first_page(view, &view->streams[i].space);
	for (uint32 i = 0; i < view->segment_count; i++)
		pin_first_page(view, &view->segments[i].space);
	UnlockReleaseBuffer(buffer);
}

void
IndexViewClose(IndexView *view)
{
	for (uint32 i = 0; i < view->pin_count; i++)
		ReleaseBuffer(view->pins[i]);
	view->pin_count = 0;
}
