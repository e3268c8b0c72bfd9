/*
 * insert.c
 *		Inserting a row: into the open stream, which becomes a segment when it is long.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "index/handler.h"
#include "index/maintain.h"
#include "index/pending.h"
#include "tokenset/tokenset.h"

/* Unless another does it, who then finds these rows, too. */
static void
maintain(Relation index)
{
	if (!IndexMaintenanceLock(index, false))
		return;
	IndexFlush(index);
	IndexMerge(index, MERGE_OF_INSERT);
	IndexMaintenanceUnlock(index);
}

bool
IndexInsert(Relation index, Datum *values, bool *isnull, ItemPointer tid, Relation heap,
			IndexUniqueCheck unique, bool unchanged, struct IndexInfo *info)
{
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup insert", ALLOCSET_SMALL_SIZES);
	MemoryContext previous = MemoryContextSwitchTo(context);
	const Tokenset *set = isnull[0] ? NULL : DatumGetTokenset(values[0]);
	uint32 pages = PendingAppend(index, tid, set == NULL ? NULL : set->tokens,
								 set == NULL ? 0 : (uint32) TokensetCount(set));

	if (pages >= PENDING_MOST_PAGES)
		maintain(index);
	MemoryContextSwitchTo(previous);
	MemoryContextDelete(context);
	return false;
}
