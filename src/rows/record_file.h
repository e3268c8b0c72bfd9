/*
 * record_file.h
 *		A bag of records of one width: in memory up to a limit, then in a temporary file.
 *
 * All records are put before the first is read. They are read by number, or taken in the order in
 * which they were put. temp_file_limit and temp_tablespaces apply to the file, which ends with the
 * transaction at the latest.
 */
#ifndef NEARDUP_JOIN_RECORD_FILE_H
#define NEARDUP_JOIN_RECORD_FILE_H

#include "storage/buffile.h"

/*
 * Records are kept in blocks of this many. Their width is rounded up to a multiple of 8 bytes, so that
 * each block begins where one of the file does.
 */
#define RECORDS_PER_BLOCK Max(1024, BLCKSZ / 8)

typedef struct RecordFile
{
	MemoryContext context;
	Size width; /* bytes of a record */
	uint64 count;
	uint64 taken;

	char *next; /* where the next record goes */
	char *end;	/* where its block ends */
	char **blocks;
	uint32 block_capacity;
	uint64 blocks_in_memory;
	uint64 most_in_memory;

	char *buffer;		   /* holds one block that is not in memory; NULL if all are */
	uint64 buffered_block; /* number of the block that the buffer holds */
	bool is_unwritten;	   /* the buffer has records that the file has not */
	BufFile *file;
	int64 file_bytes; /* written in all */
} RecordFile;

/*
 * Begins an empty bag, whose memory belongs to the context. At most `bytes` are kept in memory, but
 * at least one block; another one, when there is a file, is the file's buffer.
 */
extern void RecordFileInit(RecordFile *file, MemoryContext context, Size width, Size bytes);

/* Makes room for a block of records. Can be cancelled. */
extern void RecordFileAddBlock(RecordFile *file);

/* Reads a block of the file into the buffer and returns it. Can be cancelled. */
extern const char *RecordFileReadBlock(RecordFile *file, uint64 block);

/* Returns where the caller writes the next record, before it does anything else with the bag. */
static inline void *
RecordFilePut(RecordFile *file)
{
	void *record;

	if (file->next == file->end)
		RecordFileAddBlock(file);
	record = file->next;
	file->next += file->width;
	file->count++;
	return record;
}

/* Returns a record by its number, from 0; it is valid until the next one is read. */
static inline const void *
RecordFileAt(RecordFile *file, uint64 number)
{
	uint64 block = number / RECORDS_PER_BLOCK;
	const char *records =
		block < file->blocks_in_memory ? file->blocks[block] : RecordFileReadBlock(file, block);

	return records + number % RECORDS_PER_BLOCK * file->width;
}

/* Closes the file and forgets all records; further ones may be put, into the same memory. */
extern void RecordFileClear(RecordFile *file);

/* Returns the next record that was not taken; after the last, clears the bag and returns NULL. */
static inline const void *
RecordFileTake(RecordFile *file)
{
	if (file->taken == file->count)
	{
		RecordFileClear(file);
		return NULL;
	}
	return RecordFileAt(file, file->taken++);
}

/* Returns the bytes of the blocks that were allocated. */
extern Size RecordFileMemory(const RecordFile *file);

/* Closes the file and frees the blocks. */
extern void RecordFileEnd(RecordFile *file);

#endif
