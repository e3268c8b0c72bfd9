/*
 * page_io.c
 *		Reading and writing the pages of an index.
 *
 * Which block is whose is decided in the metapage, before the block is written. Several backends
 * may extend the relation for blocks that are theirs, and one may thereby create the other's block:
 * so a writer extends until its block exists, and then overwrites the block, whatever it holds.
 */
#include "postgres.h"

#include "access/xlog.h"
#include "access/xloginsert.h"
#include "miscadmin.h"
#include "storage/lmgr.h"

#include "index/page_io.h"

BlockNumber
IndexSpaceBlock(const IndexSpace *space, uint32 page)
{
	for (uint32 i = 0; i < space->extent_count; i++)
	{
		if (page < space->extents[i].blocks)
			return space->extents[i].first + page;
		page -= space->extents[i].blocks;
	}
	ereport(ERROR, (errcode(ERRCODE_INDEX_CORRUPTED),
					errmsg("page %u lies beyond its part of the index", page)));
}

void
IndexCorrupted(Relation index, const char *detail)
{
	ereport(ERROR, (errcode(ERRCODE_INDEX_CORRUPTED),
					errmsg("index \"%s\" is corrupted", RelationGetRelationName(index)),
					errdetail_internal("%s", detail), errhint("Please REINDEX it.")));
}

/* Whether a page is one of this access method, with plausible bounds, and has the owner. */
static bool
has_owner(Page page, uint64 owner)
{
	PageHeader header = (PageHeader) page;

	return header->pd_special == BLCKSZ - MAXALIGN(sizeof(IndexPageSpecial)) &&
		   header->pd_lower >= MAXALIGN(SizeOfPageHeaderData) &&
		   header->pd_lower <= header->pd_special && IndexPageSpecialOf(page)->owner == owner;
}

Buffer
IndexPageLock(Relation index, uint64 owner, const IndexSpace *space, uint32 page, int mode)
{
	BlockNumber block = IndexSpaceBlock(space, page);
	Buffer buffer = ReadBuffer(index, block);

	LockBuffer(buffer, mode);
	if (likely(has_owner(BufferGetPage(buffer), owner)))
		return buffer;
	UnlockReleaseBuffer(buffer);
	if (RecoveryInProgress())
		ereport(ERROR, (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
						errmsg("canceling statement due to conflict with recovery"),
						errdetail("A block of index \"%s\" has been used again.",
								  RelationGetRelationName(index)),
						errhint("Repeat the statement.")));
	ereport(ERROR, (errcode(ERRCODE_INDEX_CORRUPTED),
					errmsg("index \"%s\" contains an unexpected page at block %u",
						   RelationGetRelationName(index), block),
					errhint("Please REINDEX it.")));
}

void
IndexPageInit(Page page, uint64 owner)
{
	PageInit(page, BLCKSZ, sizeof(IndexPageSpecial));
	IndexPageSpecialOf(page)->owner = owner;
	IndexPageSpecialOf(page)->page_id = INDEX_PAGE_ID;
	((PageHeader) page)->pd_lower = MAXALIGN(SizeOfPageHeaderData);
}

void
IndexPageAppend(Page page, const void *bytes, uint32 size)
{
	PageHeader header = (PageHeader) page;

	Assert(IndexPageUsed(page) + size <= INDEX_PAYLOAD);
	/* Without bytes the pointer may be NULL, which memcpy() must not get. */
	if (size > 0)
		memcpy((char *) page + header->pd_lower, bytes, size);
	header->pd_lower += size;
}

/* Extends the fork with empty blocks until it has the block. */
static void
extend_to(Relation index, ForkNumber fork, BlockNumber block)
{
	LockRelationForExtension(index, ExclusiveLock);
	while (RelationGetNumberOfBlocksInFork(index, fork) <= block)
	{
		CHECK_FOR_INTERRUPTS();
		ReleaseBuffer(ReadBufferExtended(index, fork, P_NEW, RBM_NORMAL, NULL));
	}
	UnlockRelationForExtension(index, ExclusiveLock);
}

/* Returns the block, locked exclusively; its contents are undefined. Extends the fork if needed. */
static Buffer
block_for_writing(Relation index, ForkNumber fork, BlockNumber block)
{
	if (block >= RelationGetNumberOfBlocksInFork(index, fork))
		extend_to(index, fork, block);
	return ReadBufferExtended(index, fork, block, RBM_ZERO_AND_LOCK, NULL);
}

/* The initialization fork of an unlogged index is logged: after a crash it becomes the index. */
void
IndexPageWrite(Relation index, ForkNumber fork, BlockNumber block, Page page)
{
	Buffer buffer = block_for_writing(index, fork, block);

	START_CRIT_SECTION();
	memcpy(BufferGetPage(buffer), page, BLCKSZ);
	MarkBufferDirty(buffer);
	if (RelationNeedsWAL(index) || fork == INIT_FORKNUM)
		log_newpage_buffer(buffer, true);
	END_CRIT_SECTION();
	UnlockReleaseBuffer(buffer);
}
