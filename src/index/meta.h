/*
 * meta.h
 *		The metapage: what the index consists of, and which blocks are free.
 *
 * Locks are taken in this order: the maintenance lock, then the lock of the metapage, then the lock
 * of one other page. A backend releases the lock of another page before it locks the metapage.
 */
#ifndef NEARDUP_INDEX_META_H
#define NEARDUP_INDEX_META_H

#include "access/generic_xlog.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"
#include "utils/snapshot.h"

#include "compat.h"
#include "index/format.h"
#include "index/segment_store.h"

/* Writes the metapage of an index without rows. */
extern void IndexMetaCreate(Relation index, ForkNumber fork, uint32 signature_words);

/*
 * Returns the metapage with a share lock, which the caller releases; *meta points into it. Raises
 * index_corrupted if the page is no metapage, or if readers could not rely on its figures.
 */
extern Buffer IndexMetaRead(Relation index, const IndexMeta **meta);

/*
 * A change of the metapage, which is locked exclusively meanwhile. `meta` is a copy; it replaces
 * the page in IndexMetaCommit, by one WAL record together with the other pages that the caller
 * has registered in `state`. An error before the commit leaves the index as it was.
 */
typedef struct IndexMetaChange
{
	Buffer buffer;
	GenericXLogState *state; /* the caller may register up to three more pages */
	IndexMeta *meta;
} IndexMetaChange;

extern IndexMetaChange IndexMetaBegin(Relation index);

/* Releases the metapage; other pages that were registered remain locked by the caller. */
extern void IndexMetaCommit(IndexMetaChange *change);

/* Releases the metapage as it was. */
extern void IndexMetaAbandon(IndexMetaChange *change);

/*
 * Adds `pages` pages to a space of the metapage, from free blocks if there are some. Returns false
 * if the space would need more than INDEX_EXTENTS extents; then the change must be abandoned.
 */
extern bool IndexSpaceGrow(IndexMeta *meta, IndexSpace *space, uint32 pages);

/* Raises program_limit_exceeded: a space cannot grow. */
nd_noreturn extern void IndexSpaceScattered(Relation index);

/* Leaves a space only its first `pages` pages. */
extern void IndexSpaceTrim(IndexSpace *space, uint32 pages);

/* Raises index_corrupted if a block belongs to two parts. */
extern void IndexMetaCheckSpaces(const IndexMeta *meta);

/* Retires a part: appends it to the parts that scans may still read. There must be room for it. */
extern void IndexMetaRetire(IndexMeta *meta, uint64 id, const IndexSpace *space);

/*
 * Frees the blocks of the retired parts that no scan has pinned. The caller holds the maintenance
 * lock.
 */
extern void IndexReclaim(Relation index);

/*
 * Returns how many blocks of the index's file are free, blocks of `building` included. *retired
 * becomes how many more will be, once no scan reads the parts that had them.
 */
extern uint32 IndexFreePages(Relation index, uint32 *retired);

/*
 * The maintenance lock is held while segments are built or rows removed. Without `wait`, returns
 * false if another backend holds it. It ends with the transaction if an error leaves it held.
 */
extern bool IndexMaintenanceLock(Relation index, bool wait);
extern void IndexMaintenanceUnlock(Relation index);

/*
 * What an index consisted of at one moment. Its blocks are not used again before the view is
 * closed, since it holds a pin on the first page of each part; on a standby they may be.
 */
typedef struct IndexView
{
	SegmentStore store; /* the index */
	Snapshot snapshot;	/* of the scan; NULL for maintenance */
	uint32 signature_words;
	uint32 segment_count;
	uint32 pin_count;
	IndexStream streams[2]; /* the closed one, then the open one; id 0 if there is none */
	IndexSegment segments[INDEX_SEGMENTS];
	Buffer pins[INDEX_SEGMENTS + 2];
} IndexView;

/*
 * Raises snapshot_too_old if rows that the snapshot shows may be missing; without a snapshot, NULL,
 * this is not tested.
 */
extern void IndexViewOpen(IndexView *view, Relation index, Snapshot snapshot);

/* Releases the pins. */
extern void IndexViewClose(IndexView *view);

#endif
