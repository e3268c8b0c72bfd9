/*
 * clean_lock.h
 *		Locks of scopes, which keep writers apart where no constraint does.
 */
#ifndef NEARDUP_CLEAN_CLEAN_LOCK_H
#define NEARDUP_CLEAN_CLEAN_LOCK_H

/*
 * Takes a lock of a table, which is no partition, until the transaction ends. Raises
 * active_sql_transaction where the snapshot of the transaction hides what others have committed.
 */
extern void CleanLock(Oid table, int64 slot);

#endif
