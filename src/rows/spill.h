/*
 * spill.h
 *		Rows of a join in temporary files, sorted by size, or by what their kind measures.
 *
 * Rows that are measured alike stay in the order in which they came.
 * temp_file_limit and temp_tablespaces apply. Files end with the transaction.
 */
#ifndef NEARDUP_JOIN_SPILL_H
#define NEARDUP_JOIN_SPILL_H

#include "storage/buffile.h"

#include "rows/vocabulary.h"
#include "rows/keys.h"

typedef struct JoinSpill JoinSpill;

/* A place between rows: of a batch in the file, and of a row in the batch. */
typedef struct SpillMark
{
	int file;
	uint32 row_offset;
	off_t offset;
} SpillMark;

/*
 * A row; its tokens, and a key by reference, last until the next one is read. Tokens that the
 * vocabulary has are ids, the others are themselves.
 */
typedef struct SpillRow
{
	Datum key;
	uint32 size;		/* tokens of both kinds */
	uint32 id_count;	/* tokens that are ids */
	int64 measured;		/* what rows are sorted by */
	uint64 number;		/* within the file, from 0; known to parts of spilled rows only */
	const uint32 *ids;	/* in the vocabulary */
	const void *tokens; /* the other tokens: int64, at any alignment */
} SpillRow;

/* Returns the id or token at a place of a row: ids come first. */
static inline int64
SpillRowToken(const SpillRow *row, uint32 place)
{
	int64 token;

	if (place < row->id_count)
		return row->ids[place];
	place -= row->id_count;
	memcpy(&token, (const char *) row->tokens + (Size) place * sizeof(int64), sizeof(token));
	return token;
}

/*
 * Begins a file in `context`, which is sorted in `sort_memory` kilobytes, for rows with keys like
 * these. `join` is what errors call the join.
 */
extern JoinSpill *JoinSpillBegin(MemoryContext context, JoinHost *host, const char *join,
								 const JoinKeys *keys, int sort_memory);

/* Appends a row. Raises program_limit_exceeded for one that is larger than a tuple can be. */
extern void JoinSpillPut(JoinSpill *spill, const SpillRow *row);

/* From now on, the vocabulary numbers the tokens of further rows. */
extern void JoinSpillNumber(JoinSpill *spill, JoinVocabulary *vocabulary);

/* Called once, after the last row: the first one is read next. Each row is a unit of progress. */
extern void JoinSpillSort(JoinSpill *spill);

/* Reads the next row; false at the end. */
extern bool JoinSpillNext(JoinSpill *spill, SpillRow *row);

/* Returns the place of the last row that was read; at the end of the file, that. */
extern SpillMark JoinSpillTell(const JoinSpill *spill);
extern void JoinSpillSeek(JoinSpill *spill, SpillMark mark);

extern uint64 JoinSpillRows(const JoinSpill *spill);

/* Returns the bytes that were written, with those of the sort. */
extern int64 JoinSpillBytes(const JoinSpill *spill);

/* Closes the file and frees the memory. */
extern void JoinSpillEnd(JoinSpill *spill);

/* Reads `size` bytes of a temporary file; fewer are an error. */
extern void JoinFileRead(BufFile *file, void *to, Size size);

#endif
