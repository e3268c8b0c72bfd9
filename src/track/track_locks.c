/*
 * track_locks.c
 *		Locks of the writers of a tracked table.
 *
 * They are heavyweight locks of a type that nothing else in the server takes. pg_locks shows them
 * as userlock, with the OID of DOC_neardup as classid, the number as objid, and the kind as
 * objsubid. Such locks need no right and no preloading, the deadlock detector sees them, and a
 * prepared transaction keeps them.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/lock.h"

#include "allocate.h"
#include "track/track_locks.h"
#include "sketch/token_hash.h"

/* How many locks there are of each kind for a table. */
#define TOKEN_LOCKS 4096
#define CLUSTER_LOCKS 512

static LOCKTAG
lock_tag(Oid table, TrackLockKind kind, uint32 number)
{
	LOCKTAG tag = {.locktag_field1 = MyDatabaseId,
				   .locktag_field2 = table,
				   .locktag_field3 = number,
				   .locktag_field4 = (uint16) kind,
				   .locktag_type = LOCKTAG_USERLOCK,
				   .locktag_lockmethodid = DEFAULT_LOCKMETHOD};

	return tag;
}

static LOCKMODE
lock_mode(bool exclusively)
{
	return exclusively ? ExclusiveLock : ShareLock;
}

void
TrackLockTable(Oid table, bool exclusively)
{
	LOCKTAG tag = lock_tag(table, TRACK_LOCK_TABLE, 0);

	(void) LockAcquire(&tag, lock_mode(exclusively), false, false);
}

void
TrackUnlockTable(Oid table, bool exclusively)
{
	LOCKTAG tag = lock_tag(table, TRACK_LOCK_TABLE, 0);

	LockRelease(&tag, lock_mode(exclusively), false);
}

bool
TrackTryLockTable(Oid table)
{
	LOCKTAG tag = lock_tag(table, TRACK_LOCK_TABLE, 0);

	return LockAcquire(&tag, ExclusiveLock, false, true) != LOCKACQUIRE_NOT_AVAIL;
}

void
TrackLocksInit(TrackLocks *locks)
{
	locks->count = 0;
	locks->capacity = 32;
	locks->locks = palloc(locks->capacity * sizeof(TrackLock));
}

/* Adds the lock of a hash, one of `most`. */
static void
add_lock(TrackLocks *locks, uint64 hash, uint32 most, bool exclusively)
{
	ARRAY_MAKE_ROOM(locks->locks, locks->count, locks->capacity);
	locks->locks[locks->count++] =
		(TrackLock){.number = (uint16) (hash % most), .exclusively = exclusively};
}

void
TrackLocksAddToken(TrackLocks *locks, Token token)
{
	add_lock(locks, TokenHash(token, 0), TOKEN_LOCKS, true);
}

void
TrackLocksAddCluster(TrackLocks *locks, int64 cluster, bool exclusively)
{
	add_lock(locks, (uint64) cluster, CLUSTER_LOCKS, exclusively);
}

/*
 * Orders locks by number. Of two locks with one number the stronger one comes first, since the
 * first one is kept.
 */
static inline int
compare_locks(const TrackLock *a, const TrackLock *b)
{
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return (int) b->exclusively - (int) a->exclusively;
}

#define ST_SORT sort_locks
#define ST_ELEMENT_TYPE TrackLock
#define ST_COMPARE(a, b) compare_locks(a, b)
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

void
TrackLocksSort(TrackLocks *locks)
{
	int count = 0;

	sort_locks(locks->locks, locks->count);
	for (int i = 0; i < locks->count; i++)
	{
		if (count == 0 || locks->locks[i].number != locks->locks[count - 1].number)
			locks->locks[count++] = locks->locks[i];
	}
	locks->count = count;
}

void
TrackLocksTake(const TrackLocks *locks, Oid table, TrackLockKind kind)
{
	for (int i = 0; i < locks->count; i++)
	{
		LOCKTAG tag = lock_tag(table, kind, locks->locks[i].number);

		(void) LockAcquire(&tag, lock_mode(locks->locks[i].exclusively), false, false);
	}
}

void
TrackLocksGiveBack(const TrackLocks *locks, Oid table, TrackLockKind kind)
{
	for (int i = 0; i < locks->count; i++)
	{
		LOCKTAG tag = lock_tag(table, kind, locks->locks[i].number);

		LockRelease(&tag, lock_mode(locks->locks[i].exclusively), false);
	}
}
