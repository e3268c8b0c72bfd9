/*
 * page_io.h
 *		Reading and writing the pages of an index.
 */
#ifndef NEARDUP_INDEX_PAGE_IO_H
#define NEARDUP_INDEX_PAGE_IO_H

#include "storage/bufmgr.h"
#include "utils/rel.h"

#include "compat.h"
#include "index/format.h"

/* Block of a page of the space; index_corrupted if it has no such page. */
extern BlockNumber IndexSpaceBlock(const IndexSpace *space, uint32 page);

/* index_corrupted; the detail is a sentence. */
nd_noreturn extern void IndexCorrupted(Relation index, const char *detail);

/*
 * Locks the page. t_r_serialization_failure on a standby where the page has been used again since
 * the scan began; index_corrupted elsewhere.
 */
extern Buffer IndexPageLock(Relation index, uint64 owner, const IndexSpace *space, uint32 page,
							int mode);

static inline Buffer
IndexPageRead(Relation index, uint64 owner, const IndexSpace *space, uint32 page)
{
	return IndexPageLock(index, owner, space, page, BUFFER_LOCK_SHARE);
}

/* An empty page in memory. */
extern void IndexPageInit(Page page, uint64 owner);

/* Appends to a page in memory; the bytes fit. */
extern void IndexPageAppend(Page page, const void *bytes, uint32 size);

/* Copies a page to a block, which may lie beyond the relation's end; writes WAL where needed. */
extern void IndexPageWrite(Relation index, ForkNumber fork, BlockNumber block, Page page);

/* The block, maybe beyond the relation's end, locked exclusively; its content is undefined. */
extern Buffer IndexBlockForWriting(Relation index, ForkNumber fork, BlockNumber block);

#endif
