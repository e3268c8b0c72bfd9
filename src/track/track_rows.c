/*
 * track_rows.c
 *		Recording a few rows that a statement has written.
 *
 * First the locks: of the tokens that a similar set, written at the same time, would have in its
 * prefix, then of the clusters that a lookup finds. Another transaction may have merged or split
 * these between the lookup and the lock; then the lookup is repeated. Who has both sees all rows
 * that are similar to the new ones, as they remain.
 *
 * Then the rows are recorded in the order of the statement as a whole: rows go, change, clusters
 * split, they merge along what is new, and rows arrive in them.
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
	TrackedRow *rows;
	int count;
	bool changes;	/* rows that are recorded */
	bool has_table; /* exclusively */
} Work;

static Tokenset *
copy_set(Datum value)
{
	Tokenset *set = DatumGetTokenset(value);
	Tokenset *copy = palloc_extended(VARSIZE(set), MCXT_ALLOC_HUGE);

	memcpy(copy, set, VARSIZE(set));
	TokensetFreeIfCopy(set, value);
	return copy;
}

static bool
take_row(void *context, TupleTableSlot *slot)
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

static void
read_row(Work *work, TrackedRow *row)
{
	if (row->former != NULL)
		pfree(row->former);
	if (row->current != NULL)
		pfree(row->current);
	TrackSelect(work->table, TRACK_READ, &row->key, take_row, row);
}

static bool
is_same(const TrackedRow *row)
{
	if (row->former == NULL || row->current == NULL)
		return row->former == row->current;
	return VARSIZE(row->former) == VARSIZE(row->current) &&
		   memcmp(row->former, row->current, VARSIZE(row->former)) == 0;
}

/* Drops those that stand as they should. */
static void
read_rows(Work *work, const TrackKeys *keys)
{
	work->rows = palloc0(Max(keys->count, 1) * sizeof(TrackedRow));
	for (uint32 i = 0; i < keys->count; i++)
	{
		TrackedRow *row = &work->rows[work->count];

		*row = (TrackedRow){.key = keys->keys[i]};
		read_row(work, row);
		if (is_same(row))
			continue;
		work->changes = work->changes || row->former != NULL;
		work->count++;
	}
}

/* Other transactions change the clusters of rows, but not the rows that this one has written. */
static void
read_again(Work *work)
{
	for (int i = 0; work->changes && i < work->count; i++)
		read_row(work, &work->rows[i]);
}

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

/* False if they are too many. */
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
 * A cluster that one row joins is shared; others merge, or lose a row. False if they are too many.
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
		/* The least cluster merges if there is another. */
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
 * In the end, what is known of the table is as it stands. Whoever sees that the table has grown
 * locks it as a whole if nobody need be waited for.
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

/* Returns what the rows are similar to; false if that needs too many locks. */
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

/* What goes or changes. */
static void
record_changes(Work *work, int64 newest)
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

/* Splits what falls apart; the groups are then those of what is recorded. */
static void
change_rows(Work *work, TrackLookup *lookup, int64 newest)
{
	bool arrives = false;

	TrackLookupFree(lookup);
	record_changes(work, newest);
	TrackSplitRows(work->table, work->rows, work->count, newest);
	for (int i = 0; i < work->count; i++)
	{
		TrackedRow *row = &work->rows[i];

		if (row->current == NULL)
			continue;
		arrives = true;
		if (row->former != NULL)
			read_row(work, row);
	}
	*lookup = TrackLookupRows(work->table, work->rows, arrives ? work->count : 0, newest);
}

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

	read_rows(&work, keys);
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
