/*
 * track_lookup.c
 *		Finding what the new sets of a few rows are similar to.
 *
 * Each set is looked up in DOC_neardup by its index, and compared with the sets of the rows before
 * it. The versions of the rows that were found are noted: after the clusters are locked, they show
 * whether another transaction has changed one of them between the lookup and the lock.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "utils/snapmgr.h"

#include "allocate.h"
#include "track/track_lookup.h"
#include "tokenset/similarity.h"

/* Returns the node of a row's cluster if the row is recorded, or else the row's own node. */
static uint32
node_of_row(TrackLookup *lookup, int row)
{
	return lookup->rows[row].former == NULL
			   ? (uint32) row
			   : TrackGroupsOfCluster(lookup->groups, lookup->rows[row].cluster);
}

/*
 * Unites a row with the similar ones among the rows before it. Returns true if one of them has the
 * same set: then recorded rows that are similar to the set need not be looked up again.
 */
static bool
lookup_compare_rows(TrackLookup *lookup, int row)
{
	const Tokenset *set = lookup->rows[row].current;
	bool is_copy = false;

	for (int i = 0; i < row; i++)
	{
		const Tokenset *other = lookup->rows[i].current;

		CHECK_FOR_INTERRUPTS();
		if (other == NULL || !TokensetDatumsSimilar(lookup->table->predicate,
													PointerGetDatum(other), PointerGetDatum(set)))
			continue;
		TrackGroupsUnite(lookup->groups, node_of_row(lookup, i), node_of_row(lookup, row));
		is_copy =
			is_copy || (VARSIZE(other) == VARSIZE(set) && memcmp(other, set, VARSIZE(set)) == 0);
	}
	return is_copy;
}

/* Whether a member is one of the statement's rows. */
static bool
is_own(const TrackLookup *lookup, int64 member)
{
	for (int i = 0; i < lookup->count; i++)
	{
		if (lookup->rows[i].former != NULL && lookup->rows[i].member == member)
			return true;
	}
	return false;
}

/* Notes the version of a row that was found. */
static void
note_found(TrackLookup *lookup, const ItemPointerData *tid)
{
	ARRAY_MAKE_ROOM(lookup->found, lookup->found_count, lookup->capacity);
	lookup->found[lookup->found_count++] = *tid;
}

typedef struct RowLookup
{
	TrackLookup *lookup;
	int row;
} RowLookup;

/*
 * Called for each similar row that is recorded. Returns false, which ends the search, if it is a
 * copy that was there before the statement: it is similar to the same sets, and already in one
 * cluster with them.
 */
static bool
take_similar(void *context, TupleTableSlot *slot)
{
	RowLookup *search = context;
	TrackLookup *lookup = search->lookup;
	const Tokenset *set = lookup->rows[search->row].current;
	int64 member = DatumGetInt64(slot->tts_values[1]);
	int64 cluster = DatumGetInt64(slot->tts_values[2]);
	bool is_copy;
	Tokenset *found;

	if (lookup->newest == TRACK_UNRECORDED && is_own(lookup, member))
		return true;
	note_found(lookup, (ItemPointer) DatumGetPointer(slot->tts_values[0]));
	TrackGroupsUnite(lookup->groups, node_of_row(lookup, search->row),
					 TrackGroupsOfCluster(lookup->groups, cluster));
	if (member > lookup->newest || TokensetDatumCount(slot->tts_values[3]) != TokensetCount(set))
		return true;
	found = DatumGetTokenset(slot->tts_values[3]);
	is_copy = memcmp(found->tokens, set->tokens, TokensetCount(set) * sizeof(Token)) == 0;
	TokensetFreeIfCopy(found, slot->tts_values[3]);
	return !is_copy;
}

TrackLookup
TrackLookupRows(TrackTable *table, const TrackedRow *rows, int count, int64 newest)
{
	TrackLookup lookup = {.table = table,
						  .rows = rows,
						  .count = count,
						  .newest = newest,
						  .groups = TrackGroupsCreate((uint32) count)};

	for (int i = 0; i < count; i++)
	{
		RowLookup search = {.lookup = &lookup, .row = i};
		Datum values[2];

		if (rows[i].current == NULL || TokensetCount(rows[i].current) == 0 ||
			lookup_compare_rows(&lookup, i))
			continue;
		values[0] = PointerGetDatum(rows[i].current);
		values[1] = Float8GetDatum(table->predicate.threshold);
		TrackSelect(table, TRACK_SIMILAR, values, take_similar, &search);
	}
	return lookup;
}

void
TrackLookupFree(TrackLookup *lookup)
{
	if (lookup->found != NULL)
		pfree(lookup->found);
	TrackGroupsFree(lookup->groups);
}

/* Whether the snapshot shows all row versions that were found, and those of the recorded rows. */
static bool
all_visible(const TrackLookup *lookup, Relation members, Snapshot snapshot)
{
	TupleTableSlot *slot = table_slot_create(members, NULL);
	bool visible = true;

	PushActiveSnapshot(snapshot);
	for (Size i = 0; visible && i < lookup->found_count; i++)
		visible =
			table_tuple_fetch_row_version(members, &lookup->found[i], GetActiveSnapshot(), slot);
	for (int i = 0; visible && i < lookup->count; i++)
	{
		ItemPointerData tid = lookup->rows[i].tid;

		if (lookup->rows[i].former != NULL)
			visible = table_tuple_fetch_row_version(members, &tid, GetActiveSnapshot(), slot);
	}
	PopActiveSnapshot();
	ExecDropSingleTupleTableSlot(slot);
	return visible;
}

bool
TrackLookupStands(const TrackLookup *lookup)
{
	Relation members = table_open(lookup->table->members, AccessShareLock);
	bool stands = all_visible(lookup, members, GetLatestSnapshot());

	if (stands && IsolationUsesXactSnapshot() &&
		!all_visible(lookup, members, GetTransactionSnapshot()))
		ereport(ERROR, (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
						errmsg("could not serialize access due to concurrent update"),
						errdetail("A row that is similar was written meanwhile.")));
	table_close(members, NoLock);
	return stands;
}
