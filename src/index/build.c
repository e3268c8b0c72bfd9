/*
 * build.c
 *		Building an index: segments of as many rows as maintenance_work_mem holds, then one.
 */
#include "postgres.h"

#include "access/tableam.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "utils/memutils.h"

#include "index/bulk.h"
#include "index/handler.h"
#include "index/maintain.h"
#include "tokenset/tokenset.h"

/* Words of a signature where nothing is known about the rows. */
#define USUAL_SIGNATURE_WORDS 4

typedef struct Build
{
	Relation index;
	Bulk bulk;
	MemoryContext row_context;
	uint64 row_count;
	bool is_first; /* segment */
} Build;

static void
choose_signature_words(Build *build)
{
	IndexMetaChange change = IndexMetaBegin(build->index);

	change.meta->signature_words = BulkSignatureWords(&build->bulk);
	IndexMetaCommit(&change);
}

static void
write_segment(Build *build)
{
	IndexSegment segment;

	if (build->is_first)
		choose_signature_words(build);
	build->is_first = false;
	segment = BulkWrite(&build->bulk, build->index);
	IndexAddSegment(build->index, &segment);
	IndexMerge(build->index, PG_UINT64_MAX);
}

static void
add_row(Relation index, ItemPointer tid, Datum *values, bool *isnull, bool is_alive, void *context)
{
	Build *build = context;
	MemoryContext previous = MemoryContextSwitchTo(build->row_context);
	const void *tokens = NULL;
	Size count = 0;

	if (BulkIsFull(&build->bulk))
		write_segment(build);
	if (!isnull[0])
		tokens = TokensetPackedTokens(PG_DETOAST_DATUM_PACKED(values[0]), &count);
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
	IndexMetaCreate(index, MAIN_FORKNUM, USUAL_SIGNATURE_WORDS);
	BulkBegin(&build.bulk, (Size) maintenance_work_mem * 1024);
	build.row_context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup index row", ALLOCSET_DEFAULT_SIZES);
	IndexMaintenanceLock(index, true);
	result->heap_tuples =
		table_index_build_scan(heap, index, info, true, true, add_row, &build, NULL);
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
