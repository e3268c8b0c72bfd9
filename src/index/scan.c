/*
 * scan.c
 *		Scans of the access method neardup.
 *
 * A scan searches for one of its conditions, and the executor rechecks all of them in the rows that
 * it fetches. With conditions, all rows that may match are found when the first one is asked for,
 * and then come in the order of the table, or of a lower bound of their distance. With an order
 * alone, the search for the nearest rows goes on as far as rows are asked for.
 *
 * Why a scan sees every row of its snapshot: a row is in the index before its transaction commits,
 * and the view is opened after the snapshot was taken. From then on the view does not change. The
 * rows that were committed later are in it or not; the snapshot does not show them.
 *
 * The view's pins keep the blocks that the scan reads, but not the rows' places in the table:
 * VACUUM may remove a row between the search and the fetch. vacuum.c says why this is safe. It is
 * also why there are no index-only scans, which would not look at the row.
 *
 * Under old_snapshot_threshold, VACUUM may remove rows that the snapshot shows. Each removal changes
 * the metapage and the page of the row's TID, so these pages tell whether the snapshot is too old;
 * all other pages of a part never change.
 *
 * On a standby nothing keeps the blocks. There a scan that finds another part's page fails, with
 * the error of a conflict with recovery.
 */
#include "postgres.h"

#include "access/relscan.h"
#include "miscadmin.h"
#include "nodes/tidbitmap.h"
#include "pgstat.h"
#include "utils/memutils.h"

#include "compat.h"
#include "index/nearest.h"
#include "index/scan.h"
#include "index/search.h"
#include "index/strategy.h"

typedef struct ScanState
{
	MemoryContext context; /* of all below, until the scan is restarted */
	IndexView *view;	   /* NULL before the search */
	SetQuery query;
	SetQuery order;
	Nearest *nearest; /* if rows are found as they are asked for; else NULL */
	FoundRows found;  /* if all were found at once */
	Size next;		  /* of these */
} ScanState;

IndexScanDesc
IndexScanBegin(Relation index, int nkeys, int norderbys)
{
	IndexScanDesc scan = RelationGetIndexScan(index, nkeys, norderbys);
	ScanState *state = palloc0(sizeof(ScanState));

	state->context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup index scan", ALLOCSET_DEFAULT_SIZES);
	if (norderbys > 0)
	{
		scan->xs_orderbyvals = palloc0(norderbys * sizeof(Datum));
		scan->xs_orderbynulls = palloc0(norderbys * sizeof(bool));
	}
	scan->opaque = state;
	return scan;
}

/* Releases the view, and all memory of a search. */
static void
end_search(ScanState *state)
{
	if (state->view != NULL)
		IndexViewClose(state->view);
	state->view = NULL;
	state->nearest = NULL;
	state->found = (FoundRows){0};
	state->next = 0;
	MemoryContextReset(state->context);
}

void
IndexScanRestart(IndexScanDesc scan, ScanKey keys, int nkeys, ScanKey orderbys, int norderbys)
{
	end_search(scan->opaque);
	if (keys != NULL && scan->numberOfKeys > 0)
		memmove(scan->keyData, keys, scan->numberOfKeys * sizeof(ScanKeyData));
	if (orderbys != NULL && scan->numberOfOrderBys > 0)
		memmove(scan->orderByData, orderbys, scan->numberOfOrderBys * sizeof(ScanKeyData));
}

void
IndexScanEnd(IndexScanDesc scan)
{
	ScanState *state = scan->opaque;

	end_search(state);
	MemoryContextDelete(state->context);
	pfree(state);
}

/* Chooses the condition to search for: the first but for &&, which excludes the fewest rows. */
static ScanKey
choose_key(IndexScanDesc scan)
{
	for (int i = 0; i < scan->numberOfKeys; i++)
	{
		if (scan->keyData[i].sk_strategy != INDEX_OVERLAPS)
			return &scan->keyData[i];
	}
	return &scan->keyData[0];
}

/* Whether an operand is NULL, so that no row matches. */
static bool
has_null_key(IndexScanDesc scan)
{
	for (int i = 0; i < scan->numberOfKeys; i++)
	{
		if (scan->keyData[i].sk_flags & SK_ISNULL)
			return true;
	}
	return false;
}

static void
open_view(IndexScanDesc scan, ScanState *state)
{
	state->view = palloc(sizeof(IndexView));
	state->view->pin_count = 0;
	IndexViewOpen(state->view, scan->indexRelation, scan->xs_snapshot);
}

/* Searches, in the scan's memory context. Finds all rows if there is no condition. */
static void
search(IndexScanDesc scan, ScanState *state)
{
	const SetQuery *query = NULL;
	const SetQuery *order = NULL;
	uint32 words;

	pgstat_count_index_scan(scan->indexRelation);
	nd_count_index_search(scan);
	open_view(scan, state);
	words = state->view->signature_words;
	if (has_null_key(scan))
		return;
	if (scan->numberOfKeys > 0 && SetQueryInit(&state->query, choose_key(scan), words))
		query = &state->query;
	if (scan->numberOfOrderBys > 0 && SetQueryInit(&state->order, &scan->orderByData[0], words))
		order = &state->order;
	if (query == NULL && order != NULL)
		state->nearest = NearestBegin(state->view, order);
	else
		SearchRows(state->view, query, order, &state->found);
}

static int
compare_tids(const FoundRow *a, const FoundRow *b)
{
	return ItemPointerCompare((ItemPointer) &a->tid, (ItemPointer) &b->tid);
}

static int
scan_compare_bounds(const FoundRow *a, const FoundRow *b)
{
	if (a->bound != b->bound)
		return a->bound < b->bound ? -1 : 1;
	return compare_tids(a, b);
}

#define ST_SORT sort_by_tid
#define ST_ELEMENT_TYPE FoundRow
#define ST_COMPARE(a, b) compare_tids(a, b)
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

#define ST_SORT sort_by_bound
#define ST_ELEMENT_TYPE FoundRow
#define ST_COMPARE(a, b) scan_compare_bounds(a, b)
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

int64
IndexScanBitmap(IndexScanDesc scan, TIDBitmap *bitmap)
{
	ScanState *state = scan->opaque;
	MemoryContext previous = MemoryContextSwitchTo(state->context);
	int64 count;

	search(scan, state);
	MemoryContextSwitchTo(previous);
	for (Size i = 0; i < state->found.count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		tbm_add_tuples(bitmap, &state->found.rows[i].tid, 1, true);
	}
	count = (int64) state->found.count;
	end_search(state);
	return count;
}

/* Searches, and puts the rows that were found into their order. */
static void
begin_search(IndexScanDesc scan, ScanState *state)
{
	MemoryContext previous = MemoryContextSwitchTo(state->context);

	search(scan, state);
	if (scan->numberOfOrderBys > 0)
		sort_by_bound(state->found.rows, state->found.count);
	else
		sort_by_tid(state->found.rows, state->found.count);
	MemoryContextSwitchTo(previous);
}

/* Returns the next row, or NULL after the last one. */
static const FoundRow *
scan_next_row(ScanState *state)
{
	if (state->nearest != NULL)
		return NearestNext(state->nearest);
	return state->next < state->found.count ? &state->found.rows[state->next++] : NULL;
}

/* Returns the bound as the first distance. If rows are ordered by more, 0 bounds the others. */
static void
store_distances(IndexScanDesc scan, double bound)
{
	for (int i = 0; i < scan->numberOfOrderBys; i++)
	{
		scan->xs_orderbyvals[i] = Float8GetDatum(i == 0 ? bound : 0);
		scan->xs_orderbynulls[i] = false;
	}
	scan->xs_recheckorderby = true;
}

bool
IndexScanNext(IndexScanDesc scan, ScanDirection direction)
{
	ScanState *state = scan->opaque;
	const FoundRow *row;

	Assert(ScanDirectionIsForward(direction));
	if (state->view == NULL)
		begin_search(scan, state);
	row = scan_next_row(state);
	if (row == NULL)
		return false;
	scan->xs_heaptid = row->tid;
	scan->xs_recheck = true;
	if (scan->numberOfOrderBys > 0)
		store_distances(scan, row->bound);
	return true;
}
