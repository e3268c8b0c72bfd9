/*
 * copies.h
 *		Finds values that were seen before, by a secret hash of 128 bits.
 *
 * The secret is drawn again each time, so nobody can make two values that are taken for one.
 */
#ifndef NEARDUP_JOIN_COPIES_H
#define NEARDUP_JOIN_COPIES_H

#include "utils/memutils.h"

typedef struct Copies Copies;

typedef struct CopyHash
{
	uint64 low;
	uint64 high;
} CopyHash;

static inline bool
CopyHashesEqual(CopyHash a, CopyHash b)
{
	return a.low == b.low && a.high == b.high;
}

/* Creates an empty table in the memory context. It takes about 48 bytes for each different value. */
extern Copies *CopiesCreate(MemoryContext context);

/* Returns the hash of some bytes under the table's secret. */
extern CopyHash CopiesHash(const Copies *copies, const void *bytes, Size length);

/* Fetches the place of a hash, for a search that follows somewhat later. */
extern void CopiesPrefetch(const Copies *copies, CopyHash hash);

/* Returns the number of the first value with this hash, which is `number` if it is new. */
extern uint32 CopiesFirstOfHash(Copies *copies, CopyHash hash, uint32 number);

/* Returns the number of the first value with these bytes, which is `number` if they are new. */
extern uint32 CopiesFirst(Copies *copies, const void *bytes, Size length, uint32 number);

extern void CopiesFree(Copies *copies);

#endif
