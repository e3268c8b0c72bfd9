/*
 * build.c
 *		How rows come into an index: all rows of a table when it is built, then one at a time.
 *
 * Building makes a segment of as many rows as maintenance_work_mem holds, again and again, and in
 * the end merges all into one. Where they are more than the metapage has room for, segments are
 * merged meanwhile as those of inserts are.
 *
 * A row that comes later is appended to the open stream. This writes one page or two, and no list
 * changes. When the stream has PENDING_MOST_PAGES pages, the backend that filled the last one makes
 * its rows a segment and merges small segments, within the insert. It does not wait for the
 * maintenance lock: if another backend has it, rows go on pending until a later insert gets it, or
 * until the stream cannot grow.
 */
#include "postgres.h"

#include "access/tableam.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "utils/memutils.h"

#include "index/build.h"
#include "index/bulk.h"
#include "index/maintain.h"
#include "index/pending.h"
#include "index/row_set.h"
#include "index/scope.h"
#include "tokenset/tokenset.h"

/* Words of a signature in an index that is built on no rows. */
#define USUAL_SIGNATURE_WORDS 4

typedef struct Build
{
	Relation index;
	Bulk bulk;
	MemoryContext row_context;
	uint64 row_count;
	bool is_first; /* no segment has been written yet */
} Build;

/* Fixes the width of the signatures by the rows that come first. */
static void
choose_signature_words(Build *build)
{
	IndexMetaChange change = IndexMetaBegin(build->index);

	change.meta->signature_words = BulkSignatureWords(&build->bulk);
	IndexMetaCommit(&change);
}

/* Writes the collected rows as a segment. */
static void
write_segment(Build *build)
{
	IndexSegment segment;

	if (build->is_first)
		choose_signature_words(build);
	build->is_first = false;
	segment = BulkWrite(&build->bulk, build->index);
	IndexAddSegment(build->index, &segment);
	IndexMergeMany(build->index);
}

/* Called for each row of the table. Dead rows that some transaction may still see come, too. */
static void
build_add_row(Relation index, ItemPointer tid, Datum *values, bool *isnull, bool is_alive,
			  void *context)
{
	Build *build = context;
	MemoryContext previous = MemoryContextSwitchTo(build->row_context);
	const void *tokens = NULL;
	Size count = 0;
	Datum set;

	if (BulkIsFull(&build->bulk))
		write_segment(build);
	if (IndexRowSet(index, values, isnull, &set))
		tokens = TokensetPackedTokens(PG_DETOAST_DATUM_PACKED(set), &count);
	BulkAdd(&build->bulk, tid, tokens, (uint32) count);
	build->row_count++;
	MemoryContextSwitchTo(previous);
	MemoryContextReset(build->row_context);
}

IndexBuildResult *
IndexBuild(Relation heap, Relation index, struct IndexInfo *info)
{
	IndexBuildResult *result = palloc(sizeof(IndexBuildResult));
	Build build = {.index = index, .is_first = true};

	if (RelationGetNumberOfBlocks(index) != 0)
		elog(ERROR, "index \"%s\" already contains data", RelationGetRelationName(index));
	IndexScopeCheckColumns(index);
	IndexMetaCreate(index, MAIN_FORKNUM, USUAL_SIGNATURE_WORDS);
	BulkBegin(&build.bulk, (Size) maintenance_work_mem * 1024);
	build.row_context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup index row", ALLOCSET_DEFAULT_SIZES);
	IndexMaintenanceLock(index, true);
	result->heap_tuples =
		table_index_build_scan(heap, index, info, true, true, build_add_row, &build, NULL);
	if (!BulkIsEmpty(&build.bulk))
		write_segment(&build);
	BulkEnd(&build.bulk);
	IndexMergeAll(index);
	IndexMaintenanceUnlock(index);
	MemoryContextDelete(build.row_context);
	result->index_tuples = (double) build.row_count;
	return result;
}

void
IndexBuildEmpty(Relation index)
{
	IndexMetaCreate(index, INIT_FORKNUM, USUAL_SIGNATURE_WORDS);
}

/* Makes pending rows a segment, and merges small segments, unless another backend has the lock. */
static void
maintain(Relation index)
{
	if (!IndexMaintenanceLock(index, false))
		return;
	IndexFlush(index, false);
	IndexMerge(index, MERGE_OF_INSERT);
	IndexMaintenanceUnlock(index);
}

/*
 * Appends a row, and returns how many pages are pending. While the maintenance goes on for long, the
 * stream may come to consist of as many extents as the metapage has room for; then the row waits
 * for the end of the maintenance, and for the pending rows to become a segment. NULL is an empty
 * set.
 */
static uint32
append_pending(Relation index, ItemPointer tid, const Tokenset *set)
{
	const Token *tokens = set == NULL ? NULL : set->tokens;
	uint32 count = set == NULL ? 0 : (uint32) TokensetCount(set);
	uint32 pages = 0;

	if (PendingAppend(index, tid, tokens, count, &pages))
		return pages;
	IndexMaintenanceLock(index, true);
	IndexFlush(index, true);
	IndexMaintenanceUnlock(index);
	if (!PendingAppend(index, tid, tokens, count, &pages))
		IndexSpaceScattered(index);
	return pages;
}

bool
IndexInsert(Relation index, Datum *values, bool *isnull, ItemPointer tid, Relation heap,
			IndexUniqueCheck unique, bool unchanged, struct IndexInfo *info)
{
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup insert", ALLOCSET_SMALL_SIZES);
	MemoryContext previous = MemoryContextSwitchTo(context);
	const Tokenset *set = NULL;
	Datum datum;
	uint32 pages;

	if (IndexRowSet(index, values, isnull, &datum))
		set = DatumGetTokenset(datum);
	pages = append_pending(index, tid, set);
	if (pages >= PENDING_MOST_PAGES)
		maintain(index);
	MemoryContextSwitchTo(previous);
	MemoryContextDelete(context);
	return false;
}
