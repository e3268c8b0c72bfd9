/*
 * bulk.h
 *		Making a segment of many rows: they are collected in memory, and then written at once.
 */
#ifndef NEARDUP_INDEX_BULK_H
#define NEARDUP_INDEX_BULK_H

#include "kernel/records/records.h"
#include "index/meta.h"

typedef struct Bulk
{
	MemoryContext parent;
	MemoryContext context; /* of all that follows; a child of the parent */
	JoinHost host;
	JoinRecords records;   /* of the rows that have tokens */
	ItemPointerData *tids; /* of these rows, in the order of arrival */
	uint32 row_count;
	uint32 row_capacity;
	ItemPointerData *empty_tids; /* of rows without tokens */
	uint32 empty_count;
	uint32 empty_capacity;
	Size limit; /* of memory, in bytes */
} Bulk;

/*
 * Begins to collect rows, in a child of the current memory context. BulkIsFull bounds the memory
 * by `limit` bytes, which only a single row can exceed.
 */
extern void BulkBegin(Bulk *bulk, Size limit);

/* Adds a row. The tokens ascend, and may be unaligned; count is 0 for NULLs and empty sets. */
extern void BulkAdd(Bulk *bulk, const ItemPointerData *tid, const void *tokens, uint32 count);

/* Whether the rows must be written before another one is added. */
extern bool BulkIsFull(const Bulk *bulk);

static inline bool
BulkIsEmpty(const Bulk *bulk)
{
	return bulk->row_count + bulk->empty_count == 0;
}

/* Returns the words of a signature that suit the rows: a power of two, at least 1. */
extern uint32 BulkSignatureWords(const Bulk *bulk);

/*
 * Writes the rows as a segment, which the caller adds to the metapage unless it is in a file. The
 * caller holds the maintenance lock. The bulk is empty afterwards, and may be filled again.
 */
extern IndexSegment BulkWrite(Bulk *bulk, const SegmentStore *store);

/* Frees all memory. */
extern void BulkEnd(Bulk *bulk);

#endif
