/*
 * vacuum.c
 *		VACUUM: removing dead rows, and keeping the parts of the index few.
 *
 * The TID of a dead row is made invalid where it is. Its postings and signature stay, and the
 * record itself goes when its segment is merged or written again. VACUUM may then use the place in
 * the table for another row.
 *
 * A scan may have read the TID before. It does not matter that this row is fetched after VACUUM has
 * removed it, even if another row is in its place: the snapshot of the scan does not show a row that
 * came later, and where a snapshot might, the scan has all rows rechecked.
 *
 * No row may escape by moving meanwhile. Rows move from the closed stream to a segment, and from
 * segments to a new one, only under the maintenance lock, which is taken here before the view is
 * opened. Rows that others append are none of those that VACUUM has found dead.
 */
#include "postgres.h"

#include "commands/vacuum.h"
#include "storage/bufmgr.h"

#include "compat.h"
#include "index/maintain.h"
#include "index/page_io.h"
#include "index/pending.h"
#include "index/segment.h"
#include "index/vacuum.h"

typedef struct Removal
{
	Relation index;
	IndexBulkDeleteCallback callback;
	void *context; /* of the callback */
	IndexBulkDeleteResult *result;
} Removal;

/* Returns whether the row is to be removed. A row that was removed before need not be. */
static bool
vacuum_is_dead(Removal *removal, ItemPointerData tid)
{
	return ItemPointerIsValid(&tid) && removal->callback(&tid, removal->context);
}

/* Makes the TIDs at these offsets of the payload invalid, in bytes. */
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
 * Makes the TIDs at these offsets of a page invalid, and adds them to the segment's dead records in
 * the same WAL record, so that the count is right after a crash too. If `id` is the id of a stream,
 * no segment has it, and nothing is counted. The caller has pinned the page, but not locked it.
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

/*
 * Removes the dead rows of a page of TIDs, and returns how many there were. The TIDs are read
 * without a lock, since only the holder of the maintenance lock changes them.
 */
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
		if (vacuum_is_dead(removal, tid))
			offsets[dead++] = i * (uint32) sizeof(tid);
	}
	remove_tids(removal, segment->id, buffer, offsets, dead);
	ReleaseBuffer(buffer);
	return dead;
}

/* Removes the dead rows of a segment, and counts the others. */
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

/*
 * Removes the dead rows of a stream, and counts the others. For a dead row the page is unlocked,
 * since the metapage must be locked first; rows may be appended to the page meanwhile, but the rows
 * before do not move.
 */
static void
remove_from_stream(Removal *removal, const IndexStream *stream)
{
	PendingScan scan;
	const PendingRow *row;

	if (stream->id == 0)
		return;
	PendingScanBegin(&scan, removal->index, stream, NULL);
	while ((row = PendingScanNext(&scan)) != NULL)
	{
		uint32 offset = (uint32) ((const char *) row - PageGetContents(BufferGetPage(scan.buffer)));
		bool is_row_dead = vacuum_is_dead(removal, row->tid);

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
	IndexViewOpen(view, info->index, NULL);
	for (uint32 i = 0; i < view->segment_count; i++)
		remove_from_segment(&removal, &view->segments[i]);
	for (int i = 0; i < 2; i++)
		remove_from_stream(&removal, &view->streams[i]);
	IndexViewClose(view);
	IndexMaintenanceUnlock(info->index);
	pfree(view);
	return result;
}

/* Returns about how many rows the index has; dead rows of streams are counted, too. */
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
	uint32 retired;

	if (info->analyze_only)
		return result;
	if (result == NULL)
	{
		result = palloc0(sizeof(IndexBulkDeleteResult));
		result->num_index_tuples = count_rows(info->index);
		result->estimated_count = true;
	}
	IndexMaintenanceLock(info->index, true);
	IndexFlush(info->index, true);
	IndexRewriteWorn(info->index);
	IndexMerge(info->index, PG_UINT64_MAX);
	result->num_pages = RelationGetNumberOfBlocks(info->index);
	result->pages_free = IndexFreePages(info->index, &retired);
	result->pages_deleted = result->pages_free + retired;
	IndexMaintenanceUnlock(info->index);
	return result;
}
