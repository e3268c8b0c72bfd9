/*
 * track_locks.h
 *		Locks of the writers of a tracked table, held until their transactions end.
 *
 * Each writer locks the table, shared or exclusively. One that shares it also locks what it
 * touches:
 *
 *		tokens		the tokens of the prefixes of its new sets, exclusively
 *		clusters	shared if it only adds a row, exclusively if it merges clusters, splits one, or
 *					takes a row away
 *
 * Why tokens serialize just the writers of similar rows: if all tokens are put into one order, two
 * sets that reach the threshold share a token of their prefixes, which are the first few tokens of
 * each (token_order.h). Two transactions that write such sets at the same time lock that token,
 * so that the second one waits until the first has committed, and then sees its row. With Jaccard
 * similarity 0.8 the prefix of a set of 20 tokens has 5. Two sets that are not similar usually have
 * no token of their prefixes in common, all the more as the order puts frequent tokens last. The
 * order must be the same for all, therefore it changes only under an exclusive lock of the table.
 *
 * Tokens and clusters are hashed into a fixed number of locks each, so that writers cannot fill
 * the server's lock table; by this, some writers wait without need. A statement takes the table's
 * lock first, then tokens, then clusters, the locks of each kind ascending by number. So
 * transactions of a single statement do not deadlock.
 */
#ifndef NEARDUP_TRACK_TRACK_LOCKS_H
#define NEARDUP_TRACK_TRACK_LOCKS_H

#include "tokenset/tokenset.h"

/* Most locks of tokens, and of clusters. A statement that needs more locks the whole table. */
#define TRACK_MOST_LOCKS 256

/* `table` is the OID of DOC_neardup, here and below. Waits for the lock. */
extern void TrackLockTable(Oid table, bool exclusively);
extern void TrackUnlockTable(Oid table, bool exclusively);

/* Locks the table exclusively. Returns false if another transaction has locked it. */
extern bool TrackTryLockTable(Oid table);

typedef struct TrackLock
{
	uint16 number; /* to which tokens or clusters are hashed */
	bool exclusively;
} TrackLock;

typedef struct TrackLocks
{
	TrackLock *locks;
	int count;
	int capacity;
} TrackLocks;

/* Makes an empty list of locks, in the current memory context. */
extern void TrackLocksInit(TrackLocks *locks);

/* Add the lock of a token or a cluster. Nothing is locked yet. */
extern void TrackLocksAddToken(TrackLocks *locks, Token token);
extern void TrackLocksAddCluster(TrackLocks *locks, int64 cluster, bool exclusively);

/* Sorts the locks by number, and keeps the strongest of each number. */
extern void TrackLocksSort(TrackLocks *locks);

typedef enum TrackLockKind
{
	TRACK_LOCK_TABLE,
	TRACK_LOCK_TOKEN,
	TRACK_LOCK_CLUSTER
} TrackLockKind;

/* Take, or release, all locks of a sorted list, which are of one kind. */
extern void TrackLocksTake(const TrackLocks *locks, Oid table, TrackLockKind kind);
extern void TrackLocksGiveBack(const TrackLocks *locks, Oid table, TrackLockKind kind);

#endif
