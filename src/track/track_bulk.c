/*
 * track_bulk.c
 *		Recording many rows that a statement has written, by one join.
 *
 * The join is one of all sets, old and new: it takes little longer than one of the new with the
 * old. Equal sets enter it once.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

#include "cluster/copies.h"
#include "track/track_bulk.h"
#include "track/track_merge.h"
#include "track/track_split.h"
#include "join/results/result_set.h"
#include "join/rows/kinds/set_rows.h"
#include "join/similarity_join.h"

typedef struct Bulk
{
	TrackTable *table;
	MemoryContext context; /* of copies and groups */
	Tuplestorestate *arrived;
	TupleTableSlot *slot; /* of these */
	uint32 arrivals;
	TrackGroups *groups;
	Copies *copies;
	SimilarityJoin join;

	/* Of a transaction with one snapshot: what it does not show cannot be joined. */
	Relation members;
	TupleTableSlot *member_slot;
} Bulk;

/* Records what went or changed, and splits its clusters. Returns whether a set has changed. */
static bool
record_changes(Bulk *bulk, Datum keys, int64 newest)
{
	TupleDesc columns;
	Datum clusters;
	bool has_none;
	bool isnull;
	int64 changed;

	TrackWrite(bulk->table, TRACK_RECORD, &keys);
	columns = SPI_tuptable->tupdesc;
	clusters = SPI_getbinval(SPI_tuptable->vals[0], columns, 1, &has_none);
	changed = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], columns, 2, &isnull));
	if (!has_none)
		TrackSplitClusters(bulk->table, datumCopy(clusters, false, -1), newest);
	return changed > 0;
}

static bool
take_arrival(void *context, TupleTableSlot *slot)
{
	Bulk *bulk = context;

	if (bulk->slot == NULL)
		bulk->slot = MakeSingleTupleTableSlot(CreateTupleDescCopy(slot->tts_tupleDescriptor),
											  &TTSOpsMinimalTuple);
	tuplestore_puttupleslot(bulk->arrived, slot);
	bulk->arrivals++;
	return true;
}

static void
append_set(Bulk *bulk, uint32 node, Datum value)
{
	struct varlena *set = PG_DETOAST_DATUM_PACKED(value);
	JoinRow row = {0};
	uint32 first;

	row.data = TokensetPackedTokens(set, &row.count);
	if (row.count > 0)
	{
		first = CopiesFirst(bulk->copies, row.data, row.count * sizeof(Token), node);
		if (first == node)
			JoinInputAppend(&bulk->join.input, Int64GetDatum(node), &row);
		else
			TrackGroupsUnite(bulk->groups, first, node);
	}
	if ((Pointer) set != DatumGetPointer(value))
		pfree(set);
}

static void
check_visible(const Bulk *bulk, ItemPointer tid)
{
	if (bulk->members != NULL &&
		!table_tuple_fetch_row_version(bulk->members, tid, GetTransactionSnapshot(),
									   bulk->member_slot))
		ereport(ERROR, (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
						errmsg("could not serialize access due to concurrent update"),
						errdetail("Another row of the tracked table was written meanwhile.")));
}

/* Nodes are the joined keys: 0 to arrivals - 1, then those of clusters. */
static bool
take_member(void *context, TupleTableSlot *slot)
{
	Bulk *bulk = context;

	check_visible(bulk, (ItemPointer) DatumGetPointer(slot->tts_values[0]));
	append_set(bulk, TrackGroupsOfCluster(bulk->groups, DatumGetInt64(slot->tts_values[1])),
			   slot->tts_values[2]);
	return true;
}

static uint64
take_pair(void *context, const FoundPair *pair)
{
	Bulk *bulk = context;
	const JoinKeys *keys = &bulk->join.part->keys;

	TrackGroupsUnite(bulk->groups, (uint32) JoinKeysInt64(keys, pair->a),
					 (uint32) JoinKeysInt64(keys, pair->b));
	return 1;
}

static void
append_arrivals(Bulk *bulk)
{
	tuplestore_rescan(bulk->arrived);
	for (uint32 i = 0; i < bulk->arrivals; i++)
	{
		CHECK_FOR_INTERRUPTS();
		(void) tuplestore_gettupleslot(bulk->arrived, true, false, bulk->slot);
		slot_getallattrs(bulk->slot);
		append_set(bulk, i, bulk->slot->tts_values[1]);
	}
}

static void
open_members(Bulk *bulk)
{
	if (!IsolationUsesXactSnapshot())
		return;
	bulk->members = table_open(bulk->table->members, AccessShareLock);
	bulk->member_slot = table_slot_create(bulk->members, NULL);
}

static void
close_members(Bulk *bulk)
{
	if (bulk->members == NULL)
		return;
	ExecDropSingleTupleTableSlot(bulk->member_slot);
	table_close(bulk->members, NoLock);
}

static void
join_sets(Bulk *bulk)
{
	JoinTask task = {.kind = &set_rows,
					 .predicate = bulk->table->predicate,
					 .algorithm = JOIN_AUTO,
					 .may_share = true};
	JoinInput *input = &bulk->join.input;

	bulk->groups = TrackGroupsCreate(bulk->arrivals);
	bulk->copies = CopiesCreate(bulk->context);
	SimilarityJoinBegin(&bulk->join, &task, bulk->context);
	JoinKeysInit(&input->keys, input->key_context, input->records.host, INT8OID, InvalidOid, false);
	input->keys_ready = true;
	append_arrivals(bulk);
	open_members(bulk);
	TrackSelect(bulk->table, TRACK_MEMBERS, NULL, take_member, bulk);
	close_members(bulk);
	CopiesFree(bulk->copies);
	SimilarityJoinRead(&bulk->join);
	SimilarityJoinFind(&bulk->join, task.predicate, take_pair, bulk);
	while (SimilarityJoinNext(&bulk->join))
		;
	SimilarityJoinEnd(&bulk->join);
}

static void
insert_arrivals(Bulk *bulk, int64 *clusters)
{
	tuplestore_rescan(bulk->arrived);
	for (uint32 i = 0; i < bulk->arrivals; i++)
	{
		Tokenset *set;

		CHECK_FOR_INTERRUPTS();
		(void) tuplestore_gettupleslot(bulk->arrived, true, false, bulk->slot);
		slot_getallattrs(bulk->slot);
		set = DatumGetTokenset(bulk->slot->tts_values[1]);
		TrackInsert(bulk->table, bulk->groups, clusters, i, bulk->slot->tts_values[0], set);
		TokensetFreeIfCopy(set, bulk->slot->tts_values[1]);
	}
}

static Datum
key_array(const TrackTable *table, const TrackKeys *keys)
{
	int16 length;
	bool by_value;
	char align;

	get_typlenbyvalalign(table->key_type, &length, &by_value, &align);
	return PointerGetDatum(
		construct_array(keys->keys, (int) keys->count, table->key_type, length, by_value, align));
}

void
TrackBulk(TrackTable *table, const TrackKeys *keys)
{
	Bulk bulk = {.table = table};
	int64 newest = TrackNumber(table);
	Datum array = key_array(table, keys);
	bool has_changed;
	MemoryContext previous;

	bulk.context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup tracking", ALLOCSET_DEFAULT_SIZES);
	has_changed = record_changes(&bulk, array, newest);
	previous = MemoryContextSwitchTo(bulk.context);
	bulk.arrived = tuplestore_begin_heap(false, false, JoinStoreMemory());
	TrackSelect(table, TRACK_ARRIVED, &array, take_arrival, &bulk);
	if (has_changed || bulk.arrivals > 0)
	{
		int64 *clusters;

		join_sets(&bulk);
		clusters = TrackMerge(table, bulk.groups, newest);
		insert_arrivals(&bulk, clusters);
	}
	if (bulk.slot != NULL)
		ExecDropSingleTupleTableSlot(bulk.slot);
	tuplestore_end(bulk.arrived);
	MemoryContextSwitchTo(previous);
	MemoryContextDelete(bulk.context);
	if (TrackTableHasGrown(table))
		TrackTableFreeze(table);
}
