/*
 * pair_rows.h
 *		The rows of a Similarity Function Scan (pair_scan.h).
 *
 * Rows of up to three Datums by value; beyond a limit they go to a temporary file. All are
 * written before any is read.
 */
#ifndef NEARDUP_JOIN_PAIR_ROWS_H
#define NEARDUP_JOIN_PAIR_ROWS_H

#include "nodes/extensible.h"
#include "storage/buffile.h"

#define PAIR_COLUMNS 3

/* Rows of a block, in memory or in the file. */
#define PAIR_ROWS_PER_BLOCK Max(1024, BLCKSZ / sizeof(Datum))

typedef struct PairRows
{
	ExtensibleNode node; /* must be first: the rows are the call's resultinfo */
	MemoryContext context;
	int columns[PAIR_COLUMNS]; /* stored ones, from 0 */
	int width;
	uint64 count;

	Datum *next; /* place in the present block */
	Datum *end;
	Datum **blocks;
	uint32 block_capacity;
	uint64 blocks_in_memory;
	uint64 most_in_memory;
	Datum *buffer;		   /* a block of the file */
	uint64 buffered_block; /* when rows are read */
	BufFile *file;
	uint64 blocks_in_file;
} PairRows;

extern PairRows *PairRowsCreate(MemoryContext context, const int *columns, int width);

/* Before the first row; memory is at least two blocks. */
extern void PairRowsLimit(PairRows *rows, int kilobytes);

/* NULL if the node is not the caller. */
extern PairRows *PairRowsOfCall(Node *resultinfo);

/* When the present block is full. */
extern void PairRowsNextBlock(PairRows *rows);

static inline void
PairRowsPut(PairRows *rows, Datum a, Datum b, Datum value)
{
	const Datum row[PAIR_COLUMNS] = {a, b, value};

	if (rows->next == rows->end && rows->width > 0)
		PairRowsNextBlock(rows);
	for (int i = 0; i < rows->width; i++)
		*rows->next++ = row[rows->columns[i]];
	rows->count++;
}

/* Ends writing. */
extern void PairRowsFinish(PairRows *rows);

/* Stored columns of a row, from 0; valid until the next call. */
extern const Datum *PairRowsAt(PairRows *rows, uint64 number);

extern int64 PairRowsFileBytes(const PairRows *rows);

/* Closes the file; the memory is the context's. */
extern void PairRowsEnd(PairRows *rows);

#endif
