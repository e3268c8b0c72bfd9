/*
 * vacuum.c
 *		Removing dead rows, and what is left for VACUUM to do.
 *
 * A dead row's TID is made invalid where it stands. The record goes with the next merge.
 */
#include "postgres.h"

#include "commands/vacuum.h"
#include "storage/bufmgr.h"

#include "compat.h"
#include "index/handler.h"
#include "index/maintain.h"
#include "index/page_io.h"
#include "index/pending.h"
#include "index/segment.h"

typedef struct Removal
{
	Relation index;
	IndexBulkDeleteCallback callback;
	void *context;
	IndexBulkDeleteResult *result;
} Removal;

static bool
is_dead(Removal *removal, ItemPointerData tid)
{
	return ItemPointerIsValid(&tid) && removal->callback(&tid, removal->context);
}

static void
make_invalid(Page page, const uint32 *offsets, uint32 count)
{
	for (uint32 i = 0; i < count; i++)
	{
		ItemPointerData invalid;

		ItemPointerSetInvalid(&invalid);
		memcpy(PageGetContents(page) + offsets[i], &invalid, sizeof(invalid));
	}
}

/*
 * TIDs at these offsets of a page's payload become invalid, and are counted for the segment at
 * once: a VACUUM that is interrupted leaves no difference. The id of a stream is no segment's.
 */
static void
remove_tids(Removal *removal, uint64 id, Buffer buffer, const uint32 *offsets, uint32 count)
{
	IndexMetaChange change;

	if (count == 0)
		return;
	change = IndexMetaBegin(removal->index);
	for (uint32 i = 0; i < change.meta->segment_count; i++)
	{
		if (change.meta->segments[i].id == id)
			change.meta->segments[i].dead_count += count;
	}
	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	make_invalid(GenericXLogRegisterBuffer(change.state, buffer, 0), offsets, count);
	IndexMetaCommit(&change);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	removal->result->tuples_removed += count;
}

/* TIDs are read without a lock: only the holder of the maintenance lock changes them. */
static uint32
remove_from_page(Removal *removal, const IndexSegment *segment, uint32 page, uint32 count)
{
	uint32 offsets[TIDS_PER_PAGE];
	uint32 dead = 0;
	Buffer buffer =
		IndexPageRead(removal->index, segment->id, &segment->space, segment->tids + page);
	const char *tids = PageGetContents(BufferGetPage(buffer));

	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	for (uint32 i = 0; i < count; i++)
	{
		ItemPointerData tid;

		memcpy(&tid, tids + i * sizeof(tid), sizeof(tid));
		if (is_dead(removal, tid))
			offsets[dead++] = i * (uint32) sizeof(tid);
	}
	remove_tids(removal, segment->id, buffer, offsets, dead);
	ReleaseBuffer(buffer);
	return dead;
}

static void
remove_from_segment(Removal *removal, const IndexSegment *segment)
{
	uint32 dead = 0;

	for (uint32 first = 0; first < segment->record_count; first += TIDS_PER_PAGE)
	{
		nd_vacuum_delay_point(false);
		dead += remove_from_page(removal, segment, first / TIDS_PER_PAGE,
								 Min(segment->record_count - first, TIDS_PER_PAGE));
	}
	removal->result->num_index_tuples += segment->record_count - segment->dead_count - dead;
}

static void
remove_from_stream(Removal *removal, const IndexStream *stream)
{
	PendingScan scan;
	const PendingRow *row;

	if (stream->id == 0)
		return;
	PendingScanBegin(&scan, removal->index, stream);
	while ((row = PendingScanNext(&scan)) != NULL)
	{
		uint32 offset = (uint32) ((const char *) row - PageGetContents(BufferGetPage(scan.buffer)));
		bool is_row_dead = is_dead(removal, row->tid);

		removal->result->num_index_tuples += !is_row_dead && ItemPointerIsValid(&row->tid);
		if (!is_row_dead)
			continue;
		LockBuffer(scan.buffer, BUFFER_LOCK_UNLOCK);
		remove_tids(removal, stream->id, scan.buffer, &offset, 1);
		LockBuffer(scan.buffer, BUFFER_LOCK_SHARE);
	}
	PendingScanEnd(&scan);
}

IndexBulkDeleteResult *
IndexBulkDelete(IndexVacuumInfo *info, IndexBulkDeleteResult *result,
				IndexBulkDeleteCallback callback, void *context)
{
	Removal removal = {.index = info->index, .callback = callback, .context = context};
	IndexView *view = palloc(sizeof(IndexView));

	if (result == NULL)
		result = palloc0(sizeof(IndexBulkDeleteResult));
	removal.result = result;
	result->num_index_tuples = 0;
	IndexMaintenanceLock(info->index, true);
	IndexViewOpen(view, info->index);
	for (uint32 i = 0; i < view->segment_count; i++)
		remove_from_segment(&removal, &view->segments[i]);
	for (int i = 0; i < 2; i++)
		remove_from_stream(&removal, &view->streams[i]);
	IndexViewClose(view);
	IndexMaintenanceUnlock(info->index);
	pfree(view);
	return result;
}

static double
count_rows(Relation index)
{
	const IndexMeta *meta;
	Buffer buffer = IndexMetaRead(index, &meta);
	double rows = (double) (meta->open.row_count + meta->closed.row_count);

	for (uint32 i = 0; i < meta->segment_count; i++)
		rows += meta->segments[i].record_count - meta->segments[i].dead_count;
	UnlockReleaseBuffer(buffer);
	return rows;
}

IndexBulkDeleteResult *
IndexVacuumCleanup(IndexVacuumInfo *info, IndexBulkDeleteResult *result)
{
	if (info->analyze_only)
		return result;
	if (result == NULL)
	{
		result = palloc0(sizeof(IndexBulkDeleteResult));
		result->num_index_tuples = count_rows(info->index);
		result->estimated_count = true;
	}
	IndexMaintenanceLock(info->index, true);
	IndexFlush(info->index);
	IndexRewriteWorn(info->index);
	IndexMerge(info->index, PG_UINT64_MAX);
	IndexMaintenanceUnlock(info->index);
	result->num_pages = RelationGetNumberOfBlocks(info->index);
	return result;
}
