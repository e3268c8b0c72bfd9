/*
 * bulk.h
 *		Many rows at once into a segment.
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
	JoinRecords records;
	ItemPointerData *tids; /* by row */
	uint32 row_count;
	uint32 row_capacity;
	ItemPointerData *empty_tids;
	uint32 empty_count;
	uint32 empty_capacity;
	Size limit; /* bytes */
} Bulk;

/* Memory is bounded by `limit` bytes, but for a single row. */
extern void BulkBegin(Bulk *bulk, Size limit);

/* Sorted tokens, at any alignment. */
extern void BulkAdd(Bulk *bulk, const ItemPointerData *tid, const void *tokens, uint32 count);

/* Whether to write it before the next row. */
extern bool BulkIsFull(const Bulk *bulk);

static inline bool
BulkIsEmpty(const Bulk *bulk)
{
	return bulk->row_count + bulk->empty_count == 0;
}

/* Words of a signature that suit the rows, between 1 and INDEX_MAX_SIGNATURE_WORDS. */
extern uint32 BulkSignatureWords(const Bulk *bulk);

/* As SegmentWriterFinish; the bulk is empty afterwards. */
extern IndexSegment BulkWrite(Bulk *bulk, Relation index);

extern void BulkEnd(Bulk *bulk);

#endif
