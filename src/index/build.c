/*
 * build.c
 *		How rows come into an index: all rows of a table when it is built, then one at a time.
 *
 * Building collects as many rows as maintenance_work_mem holds. If these are all, they are written
 * into the index as a segment. Else they become a segment in a temporary file, a run, again and
 * again, and in the end the runs are merged into the index: its blocks are written once, from the
 * first to the last, and none is left over. One merge reads up to MERGE_MOST runs. Where there
 * are more, that many runs are merged into one run meanwhile, which belongs to the next level. So
 * each row is written once a level.
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
#include "index/merge.h"
#include "index/pending.h"
#include "index/row_set.h"
#include "index/scope.h"
#include "tokenset/tokenset.h"

/* Words of a signature in an index that is built on no rows. */
#define USUAL_SIGNATURE_WORDS 4

/*
 * Runs of six levels, fewer than MERGE_MOST of each. No table is large enough for more levels: that
 * would take MERGE_MOST to the power of 6 runs, each of 64 kB or more.
 */
#define MOST_RUNS (6 * MERGE_MOST)

typedef struct Build
{
	Relation index;
	Bulk bulk;
	MemoryContext context; /* of the runs */
	MemoryContext row_context;
	uint64 row_count;

	/* Runs are segments in files; each level comes before those below. */
	uint64 runs_written; /* of rows, also those that were merged since */
	uint32 run_count;
	IndexSegment runs[MOST_RUNS];
	SegmentFile *files[MOST_RUNS];
} Build;

/* Fixes the width of the signatures by the rows that come first. */
static void
choose_signature_words(Build *build)
{
	IndexMetaChange change = IndexMetaBegin(build->index);

	change.meta->signature_words = BulkSignatureWords(&build->bulk);
	IndexMetaCommit(&change);
}

static void
build_add_run(Build *build, const IndexSegment *run, SegmentFile *file)
{
	if (build->run_count == MOST_RUNS)
		elog(ERROR, "too many rows for an index");
	build->runs[build->run_count] = *run;
	build->files[build->run_count++] = file;
}

/* Merges the last runs into one. Returns false if a segment could not number their records. */
static bool
merge_last_runs(Build *build, uint32 count)
{
	uint32 first = build->run_count - count;
	SegmentStore to = {.index = build->index};
	IndexSegment merged;

	if (MergeRoom(build->runs + first, count) < count)
		return false;
	to.file = SegmentFileCreate();
	merged = MergeSegments(&to, build->runs + first, build->files + first, count);
	while (build->run_count > first)
		SegmentFileClose(build->files[--build->run_count]);
	build_add_run(build, &merged, to.file);
	return true;
}

/* Writes the collected rows as a run. */
static void
build_write_run(Build *build)
{
	SegmentStore to = {.index = build->index, .file = SegmentFileCreate()};
	IndexSegment run;

	if (build->runs_written == 0)
		choose_signature_words(build);
	run = BulkWrite(&build->bulk, &to);
	build_add_run(build, &run, to.file);
	build->runs_written++;
}

/*
 * Merges the last runs if MERGE_MOST of one level are there, which makes a run of the next level.
 * The runs of all levels are the digits of the number of runs that were written.
 */
static void
merge_full_levels(Build *build)
{
	for (uint64 n = build->runs_written; n % MERGE_MOST == 0; n /= MERGE_MOST)
		merge_last_runs(build, MERGE_MOST);
}

/* Called for each row of the table. Dead rows that some transaction may still see come, too. */
static void
build_add_row(Relation index, ItemPointer tid, Datum *values, bool *isnull, bool is_alive,
			  void *context)
{
	Build *build = context;
	MemoryContext previous = MemoryContextSwitchTo(build->context);
	const void *tokens = NULL;
	Size count = 0;
	Datum set;

	if (BulkIsFull(&build->bulk))
	{
		build_write_run(build);
		merge_full_levels(build);
	}
	MemoryContextSwitchTo(build->row_context);
	if (IndexRowSet(index, values, isnull, &set))
		tokens = TokensetPackedTokens(PG_DETOAST_DATUM_PACKED(set), &count);
	BulkAdd(&build->bulk, tid, tokens, (uint32) count);
	build->row_count++;
	MemoryContextSwitchTo(previous);
	MemoryContextReset(build->row_context);
}

/* Writes all rows into the index, if memory holds them. */
static void
write_bulk(Build *build)
{
	IndexSegment segment;

	if (BulkIsEmpty(&build->bulk))
		return;
	choose_signature_words(build);
	segment = BulkWrite(&build->bulk, &(SegmentStore){.index = build->index});
	IndexAddSegment(build->index, &segment);
}

/* Merges all runs into the index: into one segment, unless it could not number their records. */
static void
write_runs(Build *build)
{
	uint32 count;

	while (build->run_count > MERGE_MOST &&
		   merge_last_runs(build, Min(build->run_count - MERGE_MOST + 1, MERGE_MOST)))
		;
	for (uint32 first = 0; first < build->run_count; first += count)
	{
		IndexSegment segment;

		count = MergeRoom(build->runs + first, Min(build->run_count - first, MERGE_MOST));
		segment = MergeSegments(&(SegmentStore){.index = build->index}, build->runs + first,
								build->files + first, count);
		IndexAddSegment(build->index, &segment);
		for (uint32 i = first; i < first + count; i++)
			SegmentFileClose(build->files[i]);
	}
}

IndexBuildResult *
IndexBuild(Relation heap, Relation index, struct IndexInfo *info)
{
	IndexBuildResult *result = palloc(sizeof(IndexBuildResult));
	Build *build = palloc0(sizeof(Build));

	if (RelationGetNumberOfBlocks(index) != 0)
		elog(ERROR, "index \"%s\" already contains data", RelationGetRelationName(index));
	IndexScopeCheckColumns(index);
	IndexMetaCreate(index, MAIN_FORKNUM, USUAL_SIGNATURE_WORDS);
	build->index = index;
	build->context = CurrentMemoryContext;
	BulkBegin(&build->bulk, (Size) maintenance_work_mem * 1024);
	build->row_context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup index row", ALLOCSET_DEFAULT_SIZES);
	IndexMaintenanceLock(index, true);
	result->heap_tuples =
		table_index_build_scan(heap, index, info, true, true, build_add_row, build, NULL);
	if (build->runs_written == 0)
		write_bulk(build);
	else
		build_write_run(build);
	BulkEnd(&build->bulk);
	write_runs(build);
	IndexMaintenanceUnlock(index);
	MemoryContextDelete(build->row_context);
	result->index_tuples = (double) build->row_count;
	pfree(build);
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
