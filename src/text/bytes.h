/*
 * bytes.h
 *		Spans of bytes, and a buffer that may exceed StringInfo's 1 GB.
 *
 * A normalized text can be longer than the text that it comes from, so the limit of a text says
 * nothing about it.
 */
#ifndef NEARDUP_BYTES_H
#define NEARDUP_BYTES_H

#include "utils/memutils.h"

/* Bytes that somebody else owns, without a terminating zero. */
typedef struct ByteSpan
{
	const char *data;
	Size length;
} ByteSpan;

/* A growing buffer, in the memory context that was current when it was initialized. */
typedef struct ByteBuffer
{
	char *data;
	Size used;
	Size capacity;
} ByteBuffer;

/* Allocates the buffer, with room for at least `capacity` bytes. */
static inline void
ByteBufferInit(ByteBuffer *buffer, Size capacity)
{
	buffer->used = 0;
	buffer->capacity = Max(capacity, 64);
	buffer->data = MemoryContextAllocHuge(CurrentMemoryContext, buffer->capacity);
}

/* Ensures room for `additional` bytes, which may move the data. */
static inline void
ByteBufferReserve(ByteBuffer *buffer, Size additional)
{
	if (likely(buffer->capacity - buffer->used >= additional))
		return;
	buffer->capacity = Max(buffer->capacity * 2, buffer->used + additional);
	buffer->data = repalloc_huge(buffer->data, buffer->capacity);
}

static inline void
ByteBufferAppend(ByteBuffer *buffer, const char *data, Size length)
{
	ByteBufferReserve(buffer, length);
	memcpy(buffer->data + buffer->used, data, length);
	buffer->used += length;
}

static inline void
ByteBufferFree(ByteBuffer *buffer)
{
	pfree(buffer->data);
	buffer->data = NULL;
}

#endif
