/*
 * spill.h
 *		Rows of a join in temporary files, sorted by set size, or by total weight.
 *
 * temp_file_limit and temp_tablespaces apply. Files end with the transaction.
 */
#ifndef NEARDUP_JOIN_SPILL_H
#define NEARDUP_JOIN_SPILL_H

#include "storage/buffile.h"

#include "join/rows/keys.h"

typedef struct JoinSpill JoinSpill;

/* A place between rows. */
typedef struct SpillMark
{
	int file;
	off_t offset;
} SpillMark;

/* Tokens, and a key by reference, last until the next read. */
typedef struct SpillRow
{
	Datum key;
	uint32 size;
	int64 measured;		/* what rows are sorted by */
	const void *tokens; /* int64, at any alignment */
} SpillRow;

/* In `context`; sorts in `sort_memory` kilobytes. */
extern JoinSpill *JoinSpillBegin(MemoryContext context, Oid key_type, int sort_memory);

/* program_limit_exceeded for a set larger than a tuple. */
extern void JoinSpillPut(JoinSpill *spill, const SpillRow *row);

/* Once, after the last row. The first row is next. Each is a unit of progress. */
extern void JoinSpillSort(JoinSpill *spill);

/* False at the end. */
extern bool JoinSpillNext(JoinSpill *spill, SpillRow *row);

/* The place of the next row. */
extern SpillMark JoinSpillTell(JoinSpill *spill);
extern void JoinSpillSeek(JoinSpill *spill, SpillMark mark);

extern uint64 JoinSpillRows(const JoinSpill *spill);

/* Bytes written, with the sort's. */
extern int64 JoinSpillBytes(const JoinSpill *spill);

/* Closes the file and frees the memory. */
extern void JoinSpillEnd(JoinSpill *spill);

/* Reads `size` bytes of a temporary file; fewer are an error. */
extern void JoinFileRead(BufFile *file, void *to, Size size);

#endif
