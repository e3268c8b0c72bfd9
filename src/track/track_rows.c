/*
 * track_rows.c
 *		Recording a few rows that a statement has written, each looked up by itself.
 *
 * First come the locks. Those of the prefixes' tokens keep away each transaction that writes a
 * similar set at the same time. Then a lookup finds the similar rows that are there, and their
 * clusters are locked. Between the lookup and the lock another transaction may have merged or split
 * these clusters, or changed one of the rows; then the locks of clusters are given back, and the
 * lookup is repeated. A backend that holds both kinds of locks sees every similar row, and none of
 * them can change.
 *
 * Say A inserts a row that is similar to the only row of cluster 7, while B deletes that row. B
 * locks cluster 7 exclusively, since it loses a row. A has found the row, waits for the lock of the
 * cluster, and after B's commit sees that the version it has found is gone. Its second lookup finds
 * nothing, and its row begins a cluster.
 *
 * Then the statement is recorded as a whole: rows go and change, clusters that are no longer
 * connected split, clusters that new sets connect merge, and new rows are put into them.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/inval.h"

#include "track/track_locks.h"
#include "track/track_lookup.h"
#include "track/track_merge.h"
#include "track/track_rows.h"
#include "track/track_split.h"

typedef struct Work
{
	Relation relation;
	Oid extension_schema;
	TrackTable *table;
	TrackedRow *rows; /* those that are not recorded as they should be */
	int count;
	bool changes;	/* some of the rows are recorded, and go or change */
	bool has_table; /* the table is, or is to be, locked exclusively */
} Work;

/* Returns a copy of a set, not toasted. */
static Tokenset *
copy_set(Datum value)
{
	Tokenset *set = DatumGetTokenset(value);
	Tokenset *copy = palloc_extended(VARSIZE(set), MCXT_ALLOC_HUGE);

	memcpy(copy, set, VARSIZE(set));
	TokensetFreeIfCopy(set, value);
	return copy;
}

/* Called for the one row that TRACK_READ returns. */
static bool
rows_take_row(void *context, TupleTableSlot *slot)
{
	TrackedRow *row = context;

	row->former = row->current = NULL;
	if (!slot->tts_isnull[0])
	{
		row->tid = *(ItemPointer) DatumGetPointer(slot->tts_values[0]);
		row->member = DatumGetInt64(slot->tts_values[1]);
		row->cluster = DatumGetInt64(slot->tts_values[2]);
		row->former = copy_set(slot->tts_values[3]);
	}
	if (!slot->tts_isnull[4])
		row->current = copy_set(slot->tts_values[4]);
	return true;
}

/* Reads what is recorded of a row, and its set as it should be. */
static void
rows_read_row(Work *work, TrackedRow *row)
{
	if (row->former != NULL)
		pfree(row->former);
	if (row->current != NULL)
		pfree(row->current);
	TrackSelect(work->table, TRACK_READ, &row->key, rows_take_row, row);
}

/* Whether the row is recorded as it should be. */
static bool
is_same(const TrackedRow *row)
{
	if (row->former == NULL || row->current == NULL)
		return row->former == row->current;
	return VARSIZE(row->former) == VARSIZE(row->current) &&
		   memcmp(row->former, row->current, VARSIZE(row->former)) == 0;
}

/* Reads the rows of all keys, and keeps those that are not recorded as they should be. */
static void
rows_read_all(Work *work, const TrackKeys *keys)
{
	work->rows = palloc0(Max(keys->count, 1) * sizeof(TrackedRow));
	for (uint32 i = 0; i < keys->count; i++)
	{
		TrackedRow *row = &work->rows[work->count];

		*row = (TrackedRow){.key = keys->keys[i]};
		rows_read_row(work, row);
		if (is_same(row))
			continue;
		work->changes = work->changes || row->former != NULL;
		work->count++;
	}
}

/*
 * Reads the recorded rows again, after a wait for a lock. Another transaction may have changed
 * their clusters, but not their sets, since this one has written the rows.
 */
static void
read_again(Work *work)
{
	for (int i = 0; work->changes && i < work->count; i++)
		rows_read_row(work, &work->rows[i]);
}

/* Adds the locks of a set's prefix. If there are too many, sets a count that is too great. */
static void
add_prefix(TrackLocks *locks, const TrackTable *table, const Tokenset *set)
{
	int32 length = TokenPrefixLength(table->predicate, TokensetCount(set));
	Token *prefix;

	if (locks->count + length > TRACK_MOST_LOCKS)
	{
		locks->count = TRACK_MOST_LOCKS + 1;
		return;
	}
	prefix = palloc(Max(length, 1) * sizeof(Token));
	TokenPrefix(table->order, set, length, prefix);
	for (int32 i = 0; i < length; i++)
		TrackLocksAddToken(locks, prefix[i]);
	pfree(prefix);
}

/* Makes the locks of all new sets' prefixes, sorted. Returns false if they are too many. */
static bool
token_locks(const Work *work, TrackLocks *locks)
{
	TrackLocksInit(locks);
	for (int i = 0; i < work->count && locks->count <= TRACK_MOST_LOCKS; i++)
	{
		if (work->rows[i].current != NULL)
			add_prefix(locks, work->table, work->rows[i].current);
	}
	if (locks->count > TRACK_MOST_LOCKS)
		return false;
	TrackLocksSort(locks);
	return true;
}

/*
 * Makes the locks of the clusters that the statement touches, sorted: shared if rows only join the
 * cluster, exclusive if it merges with others or loses a row. Returns false if they are too many.
 */
static bool
cluster_locks(const Work *work, TrackLookup *lookup, TrackLocks *locks)
{
	TrackGroups *groups = lookup->groups;
	int64 *kept = TrackGroupsClusters(groups);

	TrackLocksInit(locks);
	for (uint32 node = groups->rows; node < groups->nodes.count; node++)
	{
		int64 cluster = groups->numbers[node - groups->rows];
		uint32 root = UnionFindRoot(&groups->nodes, node);

		TrackLocksAddCluster(locks, cluster, cluster != kept[root]);
		/* If the group has another cluster, the least one merges too. */
		if (cluster != kept[root])
			TrackLocksAddCluster(locks, kept[root], true);
	}
	for (int i = 0; i < work->count; i++)
	{
		if (work->rows[i].former != NULL)
			TrackLocksAddCluster(locks, work->rows[i].cluster, true);
	}
	pfree(kept);
	TrackLocksSort(locks);
	return locks->count <= TRACK_MOST_LOCKS;
}

/*
 * Locks the table, and makes the locks of tokens if it is shared. Afterwards the entry is valid.
 * During the wait for the lock, another transaction may have chosen the order of tokens again; then
 * the prefixes are computed again. A table that has grown is locked as a whole if this needs no
 * wait, so that a new order can be chosen.
 */
static void
lock_table(Work *work, TrackLocks *tokens)
{
	work->has_table = work->has_table ||
					  (TrackTableHasGrown(work->table) && TrackTryLockTable(work->table->members));
	for (;;)
	{
		bool exclusively = work->has_table || !token_locks(work, tokens);

		CHECK_FOR_INTERRUPTS();
		TrackLockTable(work->table->members, exclusively);
		AcceptInvalidationMessages();
		work->has_table = exclusively;
		if (work->table->is_valid)
			return;
		TrackUnlockTable(work->table->members, exclusively);
		work->table = TrackTableOpen(work->relation, work->extension_schema);
	}
}

/* Locks the clusters of what the rows are similar to. Returns false if these are too many locks. */
static bool
lock_clusters(Work *work, TrackLookup *lookup)
{
	for (;;)
	{
		TrackLocks locks;

		*lookup = TrackLookupRows(work->table, work->rows, work->count, TRACK_UNRECORDED);
		if (!cluster_locks(work, lookup, &locks))
		{
			TrackLookupFree(lookup);
			return false;
		}
		TrackLocksTake(&locks, work->table->members, TRACK_LOCK_CLUSTER);
		if (TrackLookupStands(lookup))
			return true;
		TrackLocksGiveBack(&locks, work->table->members, TRACK_LOCK_CLUSTER);
		TrackLookupFree(lookup);
		read_again(work);
	}
}

/* Takes all locks, and returns what the rows are similar to, which no other transaction changes. */
static TrackLookup
lock_rows(Work *work)
{
	TrackLookup lookup;
	TrackLocks tokens;

	lock_table(work, &tokens);
	if (!work->has_table)
	{
		TrackLocksTake(&tokens, work->table->members, TRACK_LOCK_TOKEN);
		read_again(work);
		if (lock_clusters(work, &lookup))
			return lookup;
		/* Nothing has been written, so what was locked can be given back. */
		TrackLocksGiveBack(&tokens, work->table->members, TRACK_LOCK_TOKEN);
		TrackUnlockTable(work->table->members, false);
		work->has_table = true;
		lock_table(work, &tokens);
	}
	read_again(work);
	lookup = TrackLookupRows(work->table, work->rows, work->count, TRACK_UNRECORDED);
	if (!TrackLookupStands(&lookup))
		elog(ERROR, "rows of a tracked table changed although it is locked");
	return lookup;
}

/* Records rows that have gone or changed. A changed row gets a new member number. */
static void
rows_record_changes(Work *work, int64 newest)
{
	for (int i = 0; i < work->count; i++)
	{
		TrackedRow *row = &work->rows[i];
		Datum values[3] = {row->key, PointerGetDatum(row->current)};

		if (row->former == NULL)
			continue;
		if (row->current == NULL)
		{
			TrackWrite(work->table, TRACK_DELETE, values);
			continue;
		}
		row->member = TrackNumber(work->table);
		values[2] = Int64GetDatum(row->member);
		TrackWrite(work->table, TRACK_CHANGE, values);
	}
}

/*
 * Records rows that have gone or changed, and splits clusters that are no longer connected. Then
 * looks up again what the rows are similar to, since clusters have other numbers now.
 */
static void
change_rows(Work *work, TrackLookup *lookup, int64 newest)
{
	bool arrives = false;

	TrackLookupFree(lookup);
	rows_record_changes(work, newest);
	TrackSplitRows(work->table, work->rows, work->count, newest);
	for (int i = 0; i < work->count; i++)
	{
		TrackedRow *row = &work->rows[i];

		if (row->current == NULL)
			continue;
		arrives = true;
		if (row->former != NULL)
			rows_read_row(work, row);
	}
	*lookup = TrackLookupRows(work->table, work->rows, arrives ? work->count : 0, newest);
}

/* Records new rows. */
static void
insert_rows(Work *work, const TrackLookup *lookup, int64 *clusters)
{
	for (int i = 0; i < work->count; i++)
	{
		TrackedRow *row = &work->rows[i];

		if (row->former == NULL && row->current != NULL)
			TrackInsert(work->table, lookup->groups, clusters, (uint32) i, row->key, row->current);
	}
}

void
TrackRows(Relation relation, TrackTable *table, Oid extension_schema, const TrackKeys *keys)
{
	Work work = {.relation = relation, .extension_schema = extension_schema, .table = table};
	TrackLookup lookup;
	int64 newest;

	rows_read_all(&work, keys);
	if (work.count == 0)
		return;
	lookup = lock_rows(&work);
	newest = TrackNumber(work.table);
	if (work.changes)
		change_rows(&work, &lookup, newest);
	insert_rows(&work, &lookup, TrackMerge(work.table, lookup.groups, newest));
	TrackLookupFree(&lookup);
	if (work.has_table && TrackTableHasGrown(work.table))
		TrackTableFreeze(work.table);
}
