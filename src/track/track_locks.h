/*
 * track_locks.h
 *		Locks of the writers of a tracked table, held until their transactions end.
 *
 * Each writer locks the table, shared or exclusively. Those that share it lock what they touch:
 *
 *		tokens		of the prefixes of new sets: two similar sets have one in common
 *		clusters	shared by who adds a row, exclusively by who merges, splits or takes a row away
 *
 * Tokens and clusters are hashed into a fixed number of locks each, so that writers cannot fill
 * the server's lock table. A statement takes them in this order, each kind ascending; so
 * transactions of a single statement do not deadlock.
 */
#ifndef NEARDUP_TRACK_TRACK_LOCKS_H
#define NEARDUP_TRACK_TRACK_LOCKS_H

#include "tokenset/tokenset.h"

/* Of a statement; one that needs more locks the table exclusively. */
#define TRACK_MOST_LOCKS 256

extern void TrackLockTable(Oid table, bool exclusively);
extern void TrackUnlockTable(Oid table, bool exclusively);

/* Exclusively, if no other transaction has it now. */
extern bool TrackTryLockTable(Oid table);

typedef struct TrackLock
{
	uint16 number;
	bool exclusively;
} TrackLock;

typedef struct TrackLocks
{
	TrackLock *locks;
	int count;
	int capacity;
} TrackLocks;

/* In the current memory context. */
extern void TrackLocksInit(TrackLocks *locks);

extern void TrackLocksAddToken(TrackLocks *locks, Token token);
extern void TrackLocksAddCluster(TrackLocks *locks, int64 cluster, bool exclusively);

/* Sorts them, and drops what occurs again. */
extern void TrackLocksSort(TrackLocks *locks);

typedef enum TrackLockKind
{
	TRACK_LOCK_TABLE,
	TRACK_LOCK_TOKEN,
	TRACK_LOCK_CLUSTER
} TrackLockKind;

/* Sorted locks. */
extern void TrackLocksTake(const TrackLocks *locks, Oid table, TrackLockKind kind);
extern void TrackLocksGiveBack(const TrackLocks *locks, Oid table, TrackLockKind kind);

#endif
