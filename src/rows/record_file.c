/*
 * record_file.c
 *		The blocks of a bag of records, in memory and in its file.
 *
 * A tuplestore would allocate, form and deform a tuple for each record.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "allocate.h"
#include "rows/record_file.h"
#include "rows/spill.h"

StaticAssertDecl(RECORDS_PER_BLOCK * 8 % BLCKSZ == 0, "a block begins where one of the file does");

static Size
block_bytes(const RecordFile *file)
{
	return RECORDS_PER_BLOCK * file->width;
}

void
RecordFileInit(RecordFile *file, MemoryContext context, Size width, Size bytes)
{
	Assert(width > 0);
	memset(file, 0, sizeof(*file));
	file->context = context;
	file->width = TYPEALIGN(8, width);
	file->most_in_memory = Max(bytes / block_bytes(file), 1);
}

static void
write_buffer(RecordFile *file)
{
	if (file->file == NULL)
		file->file = BufFileCreateTemp(false);
	BufFileWrite(file->file, file->buffer, block_bytes(file));
	file->file_bytes += block_bytes(file);
	file->is_unwritten = false;
}

static char *
add_memory_block(RecordFile *file)
{
	char *block = palloc_extended(block_bytes(file), MCXT_ALLOC_HUGE);

	ARRAY_MAKE_ROOM(file->blocks, file->blocks_in_memory, file->block_capacity);
	file->blocks[file->blocks_in_memory++] = block;
	return block;
}

static char *
add_file_block(RecordFile *file, uint64 block)
{
	if (file->buffer == NULL)
		file->buffer = palloc0(block_bytes(file));
	if (file->is_unwritten)
		write_buffer(file);
	file->buffered_block = block;
	file->is_unwritten = true;
	return file->buffer;
}

void
RecordFileAddBlock(RecordFile *file)
{
	MemoryContext previous = MemoryContextSwitchTo(file->context);
	uint64 block = file->count / RECORDS_PER_BLOCK;

	/* Putting records takes time that the kernel does not count. */
	CHECK_FOR_INTERRUPTS();
	Assert(file->taken == 0);
	if (block < file->blocks_in_memory)
		file->next = file->blocks[block];
	else if (block < file->most_in_memory)
		file->next = add_memory_block(file);
	else
		file->next = add_file_block(file, block);
	file->end = file->next + block_bytes(file);
	MemoryContextSwitchTo(previous);
}

const char *
RecordFileReadBlock(RecordFile *file, uint64 block)
{
	Size blocks_before = block - file->blocks_in_memory;

	if (block == file->buffered_block)
		return file->buffer;
	CHECK_FOR_INTERRUPTS();
	if (file->is_unwritten)
	{
		MemoryContext previous = MemoryContextSwitchTo(file->context);

		write_buffer(file);
		MemoryContextSwitchTo(previous);
	}
	if (BufFileSeekBlock(file->file, (long) (blocks_before * (block_bytes(file) / BLCKSZ))) != 0)
		ereport(ERROR, (errcode_for_file_access(),
						errmsg("could not seek in temporary file of a similarity join")));
	JoinFileRead(file->file, file->buffer, block_bytes(file));
	file->buffered_block = block;
	return file->buffer;
}

void
RecordFileClear(RecordFile *file)
{
	if (file->file != NULL)
		BufFileClose(file->file);
	file->file = NULL;
	file->is_unwritten = false;
	file->count = file->taken = 0;
	file->next = file->end = NULL;
}

Size
RecordFileMemory(const RecordFile *file)
{
	return (file->blocks_in_memory + (file->buffer != NULL)) * block_bytes(file);
}

void
RecordFileEnd(RecordFile *file)
{
	RecordFileClear(file);
	for (uint64 block = 0; block < file->blocks_in_memory; block++)
		pfree(file->blocks[block]);
	if (file->blocks != NULL)
		pfree(file->blocks);
	if (file->buffer != NULL)
		pfree(file->buffer);
	file->blocks = NULL;
	file->buffer = NULL;
	file->blocks_in_memory = file->block_capacity = 0;
}
