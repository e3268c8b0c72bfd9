/*
 * meta.h
 *		The metapage: what the index consists of, and which blocks are free.
 *
 * Order of locks: the maintenance lock, the metapage's, another page's.
 */
#ifndef NEARDUP_INDEX_META_H
#define NEARDUP_INDEX_META_H

#include "access/generic_xlog.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

#include "index/format.h"

/* Writes the first metapage. */
extern void IndexMetaCreate(Relation index, ForkNumber fork, uint32 signature_words);

/* Locks the metapage for reading. index_corrupted if it is none, or cannot be true. */
extern Buffer IndexMetaRead(Relation index, const IndexMeta **meta);

/* The metapage, locked exclusively, with changes that become visible and durable at once. */
typedef struct IndexMetaChange
{
	Buffer buffer;
	GenericXLogState *state; /* for up to three more pages */
	IndexMeta *meta;
} IndexMetaChange;

extern IndexMetaChange IndexMetaBegin(Relation index);
extern void IndexMetaCommit(IndexMetaChange *change);

/*
 * Adds so many pages to a space of the metapage, free blocks first. program_limit_exceeded if the
 * space would be too scattered.
 */
extern void IndexSpaceGrow(IndexMeta *meta, IndexSpace *space, uint32 pages);

/* Gives pages from `pages` on back. */
extern void IndexSpaceTrim(IndexSpace *space, uint32 pages);

/* index_corrupted if two parts have one block. */
extern void IndexMetaCheckSpaces(const IndexMeta *meta);

/* Appends what is no longer used to the retired. */
extern void IndexMetaRetire(IndexMeta *meta, uint64 id, const IndexSpace *space);

/* Frees the blocks of the retired that no scan sees. Under the maintenance lock. */
extern void IndexReclaim(Relation index);

/*
 * Held by who makes segments or removes rows. False if another has it and not to wait.
 */
extern bool IndexMaintenanceLock(Relation index, bool wait);
extern void IndexMaintenanceUnlock(Relation index);

/* What an index consists of, as a scan sees it: nothing of it is used again before the end. */
typedef struct IndexView
{
	Relation index;
	uint32 signature_words;
	uint32 segment_count;
	uint32 pin_count;
	IndexStream streams[2]; /* id 0: none */
	IndexSegment segments[INDEX_SEGMENTS];
	Buffer pins[INDEX_SEGMENTS + 2];
} IndexView;

extern void IndexViewOpen(IndexView *view, Relation index);
extern void IndexViewClose(IndexView *view);

#endif
