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

/* Returns the block of a page of the space. Raises index_corrupted if there is no such page. */
extern BlockNumber IndexSpaceBlock(const IndexSpace *space, uint32 page);

/* Raises index_corrupted. The detail is a sentence. */
nd_noreturn extern void IndexCorrupted(Relation index, const char *detail);

/*
 * Returns the page, pinned and locked in the given mode. If it belongs to another owner, raises
 * index_corrupted; on a standby raises t_r_serialization_failure, since there the block may have
 * been used again after the scan began.
 */
extern Buffer IndexPageLock(Relation index, uint64 owner, const IndexSpace *space, uint32 page,
							int mode);

static inline Buffer
IndexPageRead(Relation index, uint64 owner, const IndexSpace *space, uint32 page)
{
	return IndexPageLock(index, owner, space, page, BUFFER_LOCK_SHARE);
}

/* Makes an empty page in memory. */
extern void IndexPageInit(Page page, uint64 owner);

/* Appends to a page in memory. The bytes must fit. */
extern void IndexPageAppend(Page page, const void *bytes, uint32 size);

/*
 * Copies a page in memory to a block, which may lie beyond the end of the relation, and logs it as
 * a full image if the relation is logged. The caller has reserved the block in the metapage.
 */
extern void IndexPageWrite(Relation index, ForkNumber fork, BlockNumber block, Page page);

#endif
