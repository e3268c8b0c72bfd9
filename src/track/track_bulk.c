/*
 * track_bulk.c
 *		Recording many rows that a statement has written, by one join.
 *
 * First the rows that have gone or changed are recorded by one statement, and their clusters are
 * split. Then all sets, of new rows and of recorded ones, enter one join, which takes little longer
 * than a join of the new sets with the old ones. What is connected unites nodes: a new row is a
 * node of its own, all recorded rows of a cluster are the node of the cluster. What is one group in
 * the end becomes one cluster. Equal sets enter the join once. Sets of one node are connected
 * already, and need no pairs.
 *
 * The whole table is locked, so no other transaction records anything, and a snapshot taken now
 * shows all rows. At REPEATABLE READ and above it may show rows that the transaction's snapshot
 * does not. Those must not be changed, so the statement then fails to serialize.
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

#include "allocate.h"
#include "cluster/cluster_join.h"
#include "compat.h"
#include "track/track_bulk.h"
#include "track/track_merge.h"
#include "track/track_split.h"
#include "join/call/result_set.h"
#include "rows/copies.h"
#include "kinds/sets/set_rows.h"
#include "join/similarity_join.h"

typedef struct BulkJoin
{
	TrackTable *table;
	MemoryContext context;	  /* of what follows */
	Tuplestorestate *arrived; /* key and set of each new row */
	TupleTableSlot *slot;	  /* a row of these */
	uint32 arrivals;
	TrackGroups *groups;
	Copies *copies;	   /* which node has which set first */
	uint32 *set_nodes; /* the node of each set of the join */
	Size set_count;
	Size set_capacity;
	SimilarityJoin join;

	/* Only in a transaction with one snapshot, to see whether it shows the rows. */
	Relation members;
	TupleTableSlot *member_slot;
} BulkJoin;

/* Records what went or changed, and splits its clusters. Returns whether a set has changed. */
static bool
bulk_record_changes(BulkJoin *bulk, Datum keys, int64 newest)
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

/* Called for each row that is not recorded yet: stores it. */
static bool
take_arrival(void *context, TupleTableSlot *slot)
{
	BulkJoin *bulk = context;

	if (bulk->slot == NULL)
		bulk->slot = MakeSingleTupleTableSlot(CreateTupleDescCopy(slot->tts_tupleDescriptor),
											  &TTSOpsMinimalTuple);
	tuplestore_puttupleslot(bulk->arrived, slot);
	bulk->arrivals++;
	return true;
}

/* Puts a node's set into the join, or, if another node has the same set, unites the two. */
static void
bulk_append_set(BulkJoin *bulk, uint32 node, Datum value)
{
	struct varlena *set = PG_DETOAST_DATUM_PACKED(value);
	JoinRow row = {0};
	int64 number = (int64) bulk->set_count;
	uint32 first;

	row.data = TokensetPackedTokens(set, &row.count);
	if (row.count > 0)
	{
		first = CopiesFirst(bulk->copies, row.data, row.count * sizeof(Token), node);
		if (first == node)
		{
			ARRAY_MAKE_ROOM(bulk->set_nodes, bulk->set_count, bulk->set_capacity);
			JoinInputAppend(&bulk->join.input, nd_int64_datum(&number), &row);
			bulk->set_nodes[bulk->set_count++] = node;
		}
		else
			TrackGroupsUnite(bulk->groups, first, node);
	}
	if ((Pointer) set != DatumGetPointer(value))
		pfree(set);
}

/* Raises an error if the transaction's only snapshot does not show a row. */
static void
check_visible(const BulkJoin *bulk, ItemPointer tid)
{
	if (bulk->members != NULL &&
		!table_tuple_fetch_row_version(bulk->members, tid, GetTransactionSnapshot(),
									   bulk->member_slot))
		ereport(ERROR, (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
						errmsg("could not serialize access due to concurrent update"),
						errdetail("Another row of the tracked table was written meanwhile.")));
}

/*
 * Called for each recorded row. The nodes of new rows are 0 to arrivals - 1; behind them each
 * cluster has a node, which is the node of all its rows.
 */
static bool
bulk_take_member(void *context, TupleTableSlot *slot)
{
	BulkJoin *bulk = context;

	check_visible(bulk, (ItemPointer) DatumGetPointer(slot->tts_values[0]));
	bulk_append_set(bulk, TrackGroupsOfCluster(bulk->groups, DatumGetInt64(slot->tts_values[1])),
					slot->tts_values[2]);
	return true;
}

/* Puts the sets of all new rows into the join. */
static void
append_arrivals(BulkJoin *bulk)
{
	tuplestore_rescan(bulk->arrived);
	for (uint32 i = 0; i < bulk->arrivals; i++)
	{
		CHECK_FOR_INTERRUPTS();
		(void) tuplestore_gettupleslot(bulk->arrived, true, false, bulk->slot);
		slot_getallattrs(bulk->slot);
		bulk_append_set(bulk, i, bulk->slot->tts_values[1]);
	}
}

/* Opens DOC_neardup if versions of its rows have to be looked at. */
static void
open_members(BulkJoin *bulk)
{
	if (!IsolationUsesXactSnapshot())
		return;
	bulk->members = table_open(bulk->table->members, AccessShareLock);
	bulk->member_slot = table_slot_create(bulk->members, NULL);
}

static void
close_members(BulkJoin *bulk)
{
	if (bulk->members == NULL)
		return;
	ExecDropSingleTupleTableSlot(bulk->member_slot);
	table_close(bulk->members, NoLock);
}

/* Unites the nodes of connected sets. */
static void
unite_connected(BulkJoin *bulk, JoinTask *task)
{
	uint32 nodes = bulk->groups->nodes.count;
	uint32 *first = AllocateArray(nodes, sizeof(uint32)); /* by node, one of its sets */
	UnionFind sets;

	memset(first, 0xFF, nodes * sizeof(uint32));
	UnionFindInit(&sets, (uint32) bulk->set_count);
	for (uint32 set = 0; set < bulk->set_count; set++)
	{
		uint32 node = bulk->set_nodes[set];

		CHECK_FOR_INTERRUPTS();
		UnionFindAdd(&sets);
		if (first[node] == PG_UINT32_MAX)
			first[node] = set;
		else
			(void) UnionFindUnite(&sets, UnionFindRoot(&sets, first[node]), set);
	}
	ClusterJoinUnite(&(JoinPasses){.join = &bulk->join, .task = task}, &sets);
	for (uint32 set = 0; set < bulk->set_count; set++)
	{
		CHECK_FOR_INTERRUPTS();
		TrackGroupsUnite(bulk->groups, bulk->set_nodes[set],
						 bulk->set_nodes[UnionFindRoot(&sets, set)]);
	}
	UnionFindFree(&sets);
	pfree(first);
}

/* Joins all sets, and makes the groups of what is similar. */
static void
join_sets(BulkJoin *bulk)
{
	JoinTask task = {.kind = &set_rows,
					 .predicate = bulk->table->predicate,
					 .algorithm = JOIN_AUTO,
					 .may_share = true};

	bulk->groups = TrackGroupsCreate(bulk->arrivals);
	bulk->copies = CopiesCreate(bulk->context);
	SimilarityJoinBegin(&bulk->join, &task, bulk->context);
	JoinInputSetKeys(&bulk->join.input, INT8OID, InvalidOid, false);
	append_arrivals(bulk);
	open_members(bulk);
	TrackSelect(bulk->table, TRACK_MEMBERS, NULL, bulk_take_member, bulk);
	close_members(bulk);
	CopiesFree(bulk->copies);
	SimilarityJoinRead(&bulk->join);
	unite_connected(bulk, &task);
	SimilarityJoinEnd(&bulk->join);
}

/* Records all new rows, each in the cluster of its group. */
static void
insert_arrivals(BulkJoin *bulk, int64 *clusters)
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

/* Returns the keys as an array. */
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
	BulkJoin bulk = {.table = table};
	int64 newest = TrackNumber(table);
	Datum array = key_array(table, keys);
	bool has_changed;
	MemoryContext previous;

	bulk.context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup tracking", ALLOCSET_DEFAULT_SIZES);
	has_changed = bulk_record_changes(&bulk, array, newest);
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
