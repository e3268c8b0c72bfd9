/*
 * needed_memory.h
 *		How much memory would have kept the rows of a join that went to files.
 *
 * A user who reads that a join has used files wants one number to set. It follows from the numbers
 * of rows, tokens and distinct tokens, which are counted while rows are written: the distinct ones
 * by a sketch, since no dictionary has them all.
 */
#ifndef NEARDUP_JOIN_NEEDED_MEMORY_H
#define NEARDUP_JOIN_NEEDED_MEMORY_H

#include "lib/hyperloglog.h"

#include "rows/keys.h"
#include "kernel/records/dictionary.h"

typedef struct NeededMemory
{
	JoinHost *host;
	hyperLogLogState distinct; /* sketch of all tokens */
	Size key_bytes;			   /* of keys by reference */
} NeededMemory;

/*
 * Begins in the current memory context, with the tokens of the rows that were in memory, and the
 * bytes of their keys.
 */
extern NeededMemory *NeededMemoryBegin(const TokenDictionary *dictionary, Size key_bytes);

/* Count the key and the tokens of a row; these are int64 at any alignment. */
extern void NeededMemoryAddKey(NeededMemory *needed, const JoinKeys *keys, Datum key);
extern void NeededMemoryAddTokens(NeededMemory *needed, const void *tokens, uint32 count);

/* Returns a number of distinct tokens that the rows hardly exceed. */
extern uint64 NeededMemoryDistinct(const NeededMemory *needed);

/* Returns the bytes that all keys by reference take at most. */
extern Size NeededMemoryOfKeys(const NeededMemory *needed);

/*
 * Raises a NOTICE that a function, `join`, writes rows to files within `memory` bytes, and how many
 * would have kept them. A statement says it once, and again only if a later join needs more.
 */
extern void NeededMemoryNotice(const char *join, Size memory, Size needed);

#endif
