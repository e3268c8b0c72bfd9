/*
 * pair_buffer.h
 *		A queue of pairs from the kernel to the executor.
 */
#ifndef NEARDUP_JOIN_PAIR_BUFFER_H
#define NEARDUP_JOIN_PAIR_BUFFER_H

#include "storage/buffile.h"

/* Row numbers. */
typedef struct RowPair
{
	uint32 outer;
	uint32 inner;
} RowPair;

typedef struct PairBuffer
{
	MemoryContext context;
	uint32 capacity; /* pairs in memory; the rest go to a temporary file */
	RowPair *pairs;	 /* NULL until the first one */
	uint32 count;	 /* in memory */
	uint32 next;	 /* the first not taken */
	BufFile *file;
	bool is_reading;  /* the file */
	uint64 in_file;	  /* pairs not taken */
	int64 file_bytes; /* written in all */
} PairBuffer;

/* The first pair allocates `bytes` in the context. */
extern void PairBufferInit(PairBuffer *buffer, MemoryContext context, Size bytes);

/* Once a pair has been taken, all must be before the next is put. */
extern void PairBufferPut(PairBuffer *buffer, RowPair pair);

/* In no particular order; false if there is none. */
extern bool PairBufferTake(PairBuffer *buffer, RowPair *pair);

extern Size PairBufferBytes(const PairBuffer *buffer);

extern void PairBufferEnd(PairBuffer *buffer);

#endif
