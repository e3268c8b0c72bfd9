/*
 * pair_buffer.h
 *		Pairs between the kernel, which finds them many at a time, and the
 *		executor, which asks for one.
 */
#ifndef NEARDUP_JOIN_PAIR_BUFFER_H
#define NEARDUP_JOIN_PAIR_BUFFER_H

#include "storage/buffile.h"

/* Numbers of rows. */
typedef struct RowPair
{
	uint32 outer;
	uint32 inner;
} RowPair;

typedef struct PairBuffer
{
	MemoryContext context;
	uint32 capacity; /* pairs that are kept in memory; the rest goes to a temporary file */
	RowPair *pairs;	 /* NULL until there is one */
	uint32 count;	 /* in memory */
	uint32 next;	 /* the first that was not taken yet */
	BufFile *file;
	bool is_reading;  /* the file */
	uint64 in_file;	  /* pairs that the file holds, and were not taken yet */
	int64 file_bytes; /* written, all in all */
} PairBuffer;

/* Takes so many bytes of the given context, from the first pair on. */
extern void PairBufferInit(PairBuffer *buffer, MemoryContext context, Size bytes);

/* Puts a pair in. Once one has been taken, all must be before the next is put in. */
extern void PairBufferPut(PairBuffer *buffer, RowPair pair);

/* Takes a pair out; false if there is none. */
extern bool PairBufferTake(PairBuffer *buffer, RowPair *pair);

/* Bytes that it takes. */
extern Size PairBufferBytes(const PairBuffer *buffer);

/* Closes the file. */
extern void PairBufferEnd(PairBuffer *buffer);

#endif
