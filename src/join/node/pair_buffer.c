/*
 * pair_buffer.c
 *		Queueing pairs.
 *
 * A unit of the kernel's work finds few pairs as a rule, but a thousand equal rows are half a
 * million. A full array is written to a file and comes back later, in any order.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "join/node/pair_buffer.h"
#include "join/rows/spill.h"

void
PairBufferInit(PairBuffer *buffer, MemoryContext context, Size bytes)
{
	memset(buffer, 0, sizeof(*buffer));
	buffer->context = context;
	buffer->capacity = Max(bytes / sizeof(RowPair), 1);
}

Size
PairBufferBytes(const PairBuffer *buffer)
{
	return buffer->pairs == NULL ? 0 : buffer->capacity * sizeof(RowPair);
}

static void
write_pairs(PairBuffer *buffer)
{
	MemoryContext previous = MemoryContextSwitchTo(buffer->context);
	Size bytes = PairBufferBytes(buffer);

	if (buffer->file == NULL)
		buffer->file = BufFileCreateTemp(false);
	BufFileWrite(buffer->file, buffer->pairs, bytes);
	buffer->file_bytes += bytes;
	buffer->in_file += buffer->capacity;
	buffer->count = 0;
	MemoryContextSwitchTo(previous);
}

static void
read_pairs(PairBuffer *buffer)
{
	Size bytes = PairBufferBytes(buffer);

	if (!buffer->is_reading && BufFileSeek(buffer->file, 0, 0, SEEK_SET) != 0)
		ereport(ERROR, (errcode_for_file_access(),
						errmsg("could not seek in temporary file of a similarity join")));
	buffer->is_reading = true;
	JoinFileRead(buffer->file, buffer->pairs, bytes);
	buffer->in_file -= buffer->capacity;
	buffer->count = buffer->capacity;
	buffer->next = 0;
}

void
PairBufferPut(PairBuffer *buffer, RowPair pair)
{
	if (buffer->pairs == NULL)
		buffer->pairs = MemoryContextAlloc(buffer->context, buffer->capacity * sizeof(RowPair));
	if (buffer->count == buffer->capacity)
		write_pairs(buffer);
	buffer->pairs[buffer->count++] = pair;
}

bool
PairBufferTake(PairBuffer *buffer, RowPair *pair)
{
	if (buffer->next == buffer->count)
	{
		buffer->next = buffer->count = 0;
		if (buffer->in_file > 0)
			read_pairs(buffer);
		else if (buffer->file != NULL)
			PairBufferEnd(buffer);
	}
	if (buffer->next == buffer->count)
		return false;
	*pair = buffer->pairs[buffer->next++];
	return true;
}

void
PairBufferEnd(PairBuffer *buffer)
{
	if (buffer->file != NULL)
		BufFileClose(buffer->file);
	buffer->file = NULL;
	buffer->is_reading = false;
}
