/*
 * scan.c
 *		Scans of the access method neardup.
 *
 * A scan searches for one of its conditions, and the executor rechecks all of them in the rows
 * that it fetches, but for rows that are known to match. With conditions, all rows that may match
 * are found when the first one is asked for, and then come in the order of the table, or of a
 * lower bound of their distance. With an order alone, the search for the nearest rows goes on as
 * far as rows are asked for.
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
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/tidbitmap.h"
#include "pgstat.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "compat.h"
#include "index/nearest.h"
#include "index/scan.h"
#include "index/scope.h"
#include "index/search.h"
#include "kinds/index_class.h"

typedef struct ScanState
{
	MemoryContext context; /* of all below, until the scan is restarted */
	IndexView *view;	   /* NULL before the search */
	bool has_query;
	bool has_order;
	bool is_decided; /* a row whose set matches the query matches the scan's condition */
	SetQuery query;
	SetQuery order;
	Nearest *nearest; /* if rows are found as they are asked for; else NULL */
	FoundRows found;  /* if all were found at once */
	Size next;		  /* of these */
	Oid *order_types; /* of the values of the orders' operators */
	double values[2]; /* of the last row that was returned; Datums may be pointers to them */
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
		state->order_types = palloc0(norderbys * sizeof(Oid));
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

/*
 * Chooses the condition on sets to search for: the first but for &&, which excludes the fewest rows.
 * Returns NULL if there is none.
 */
static ScanKey
choose_key(IndexScanDesc scan)
{
	ScanKey overlaps = NULL;

	for (int i = 0; i < scan->numberOfKeys; i++)
	{
		ScanKey key = &scan->keyData[i];

		if (key->sk_strategy == INDEX_SCOPE_EQUALS)
			continue;
		if (key->sk_strategy != INDEX_OVERLAPS)
			return key;
		if (overlaps == NULL)
			overlaps = key;
	}
	return overlaps;
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

/*
 * Makes the queries of a scan; there may be none. `salt` is the salt of the scope, or NULL. An
 * operand of an order that is NULL gives no order: all distances are NULL.
 */
static void
make_queries(IndexScanDesc scan, ScanState *state, const uint64 *salt)
{
	uint32 words = state->view->signature_words;
	ScanKey key = choose_key(scan);

	if (key != NULL)
	{
		SetQueryInit(&state->query, scan->indexRelation, key, salt, words);
		state->has_query = true;
	}
	if (scan->numberOfOrderBys > 0 && (scan->orderByData[0].sk_flags & SK_ISNULL) == 0)
	{
		SetQueryInit(&state->order, scan->indexRelation, &scan->orderByData[0], salt, words);
		state->has_order = state->order.strategy != INDEX_SCOPE_EQUALS;
	}
	if (salt != NULL && !state->has_query && !state->has_order)
	{
		SetQueryInitScope(&state->query, *salt, words);
		state->has_query = true;
	}
}

/*
 * Returns whether a row whose set matches the query need not be rechecked. Scopes are known by a hash
 * only, and further conditions not at all. A snapshot that is not one of MVCC may show another row
 * in the place of one that VACUUM has removed.
 */
static bool
decides(IndexScanDesc scan, const ScanState *state)
{
	return state->has_query && state->query.is_exact && scan->numberOfKeys == 1 &&
		   IndexScopeColumns(scan->indexRelation) == 0 && IsMVCCSnapshot(scan->xs_snapshot);
}

/*
 * Searches, in the scan's memory context. Finds all rows if there is no condition, or if the keys do
 * not give the whole scope: then nothing is known of the row's tokens.
 */
static void
search(IndexScanDesc scan, ScanState *state)
{
	bool has_scopes = IndexScopeColumns(scan->indexRelation) > 0;
	uint64 salt = 0;

	pgstat_count_index_scan(scan->indexRelation);
	nd_count_index_search(scan);
	open_view(scan, state);
	state->has_query = state->has_order = state->is_decided = false;
	if (has_null_key(scan))
		return;
	if (!has_scopes ||
		IndexScopeOfKeys(scan->indexRelation, scan->keyData, scan->numberOfKeys, &salt))
		make_queries(scan, state, has_scopes ? &salt : NULL);
	state->is_decided = decides(scan, state);
	for (int i = 0; i < scan->numberOfOrderBys; i++)
		state->order_types[i] = get_func_rettype(scan->orderByData[i].sk_func.fn_oid);
	if (!state->has_query && state->has_order)
		state->nearest = NearestBegin(state->view, &state->order);
	else
		SearchRows(state->view, state->has_query ? &state->query : NULL,
				   state->has_order ? &state->order : NULL, &state->found);
}

static int
scan_compare_bounds(const FoundRow *a, const FoundRow *b)
{
	if (a->bound != b->bound)
		return a->bound < b->bound ? -1 : 1;
	return ItemPointerCompare((ItemPointer) &a->tid, (ItemPointer) &b->tid);
}

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
		FoundRow *row = &state->found.rows[i];

		CHECK_FOR_INTERRUPTS();
		tbm_add_tuples(bitmap, &row->tid, 1, !(state->is_decided && row->is_match));
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
		FoundRowsSortByTid(state->found.rows, state->found.count);
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

/* Returns a value of an order's operator in its type; the Datum may be a pointer to it. */
static Datum
operator_datum(const double *value, Oid type)
{
	switch (type)
	{
		case FLOAT4OID:
			return Float4GetDatum((float4) *value);
		case INT4OID:
			return Int32GetDatum((int32) Max(*value, PG_INT32_MIN));
		default:
			return nd_float8_datum(value);
	}
}

/*
 * Returns the bound of a row as the first order's value. Of rows that are ordered by more operators, or
 * not ordered at all, nothing is known but that no value is less than -Infinity.
 */
static void
store_bounds(IndexScanDesc scan, ScanState *state, double bound)
{
	for (int i = 0; i < scan->numberOfOrderBys; i++)
	{
		Oid type = state->order_types[i];
		double *value = &state->values[Min(i, 1)];

		*value = -get_float8_infinity();
		if (i == 0 && state->has_order)
			*value = SetQueryOperatorValue(&state->order, bound, type);
		scan->xs_orderbyvals[i] = operator_datum(value, type);
		scan->xs_orderbynulls[i] = false;
	}
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
	scan->xs_recheck = !(state->is_decided && row->is_match);
	store_bounds(scan, state, row->bound);
	scan->xs_recheckorderby = !(row->is_distance && state->has_order && state->order.is_exact &&
								scan->numberOfOrderBys == 1);
	return true;
}
