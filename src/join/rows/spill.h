/*
 * spill.h
 *		Rows of a join in temporary files, in the order of their sets' sizes.
 *
 * Files are PostgreSQL's temporary files: temp_file_limit and temp_tablespaces
 * hold for them, and they go with the transaction, whatever becomes of it.
 */
#ifndef NEARDUP_JOIN_SPILL_H
#define NEARDUP_JOIN_SPILL_H

#include "storage/buffile.h"

#include "join/rows/keys.h"

typedef struct JoinSpill JoinSpill;

/* A place between two rows. */
typedef struct SpillMark
{
	int file;
	off_t offset;
} SpillMark;

/* What stands in a row; tokens and a key by reference are valid until the next row is read. */
typedef struct SpillRow
{
	Datum key;
	uint32 size;
	const void *tokens; /* size values of int64, at any alignment */
} SpillRow;

/* In the given context; sorting takes so many kilobytes. */
extern JoinSpill *JoinSpillBegin(MemoryContext context, Oid key_type, int sort_memory);

/* program_limit_exceeded for a set that no row can hold. */
extern void JoinSpillPut(JoinSpill *spill, Datum key, uint32 size, const void *tokens);

/* Once, after the last row: sorts them. Then the first one is next. Each row is a unit of progress. */
extern void JoinSpillSort(JoinSpill *spill);

/* Reads the next row; false at the end. */
extern bool JoinSpillNext(JoinSpill *spill, SpillRow *row);

/* Where the next row begins, and going back there. */
extern SpillMark JoinSpillTell(JoinSpill *spill);
extern void JoinSpillSeek(JoinSpill *spill, SpillMark mark);

/* Rows that were put in. */
extern uint64 JoinSpillRows(const JoinSpill *spill);

/* Bytes that were written to files. */
extern int64 JoinSpillBytes(const JoinSpill *spill);

extern void JoinSpillEnd(JoinSpill *spill);

/* Reads so many bytes of a temporary file of a join, or errors. */
extern void JoinFileRead(BufFile *file, void *to, Size size);

#endif
