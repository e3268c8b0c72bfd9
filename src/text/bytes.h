/*
 * bytes.h
 *		Spans of bytes, and a buffer that may pass StringInfo's 1 GB.
 */
#ifndef NEARDUP_BYTES_H
#define NEARDUP_BYTES_H

#include "utils/memutils.h"

/* Borrowed bytes, not terminated. */
typedef struct ByteSpan
{
	const char *data;
	Size length;
} ByteSpan;

/* A growing buffer in the memory context that was current at ByteBufferInit. */
typedef struct ByteBuffer
{
	char *data;
	Size used;
	Size capacity;
} ByteBuffer;

static inline void
ByteBufferInit(ByteBuffer *buffer, Size capacity)
{
	buffer->used = 0;
	buffer->capacity = Max(capacity, 64);
	buffer->data = MemoryContextAllocHuge(CurrentMemoryContext, buffer->capacity);
}

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
