/*
 * pair_rows.h
 *		The pairs of a join function that the planner scans by its own node
 *		(pair_scan.c).
 *
 * Rows of up to three columns, all by value, of which only those are kept that the
 * query uses; in memory up to a limit, beyond it in a temporary file. They
 * are written from the first to the last, and then read in any order.
 */
#ifndef NEARDUP_JOIN_PAIR_ROWS_H
#define NEARDUP_JOIN_PAIR_ROWS_H

#include "nodes/extensible.h"
#include "storage/buffile.h"

#define PAIR_COLUMNS 3

/* Rows in a block, which is in memory, or in the file, as a whole. */
#define PAIR_ROWS_PER_BLOCK Max(1024, BLCKSZ / sizeof(Datum))

typedef struct PairRows
{
	ExtensibleNode node; /* must be first: a function finds the rows as its resultinfo */
	MemoryContext context;
	int columns[PAIR_COLUMNS]; /* that are kept, from 0 */
	int width;				   /* how many they are */
	uint64 count;

	Datum *next; /* where the next row goes in the present block */
	Datum *end;	 /* of the block */
	Datum **blocks;
	uint32 block_capacity;
	uint64 blocks_in_memory; /* the first ones */
	uint64 most_in_memory;
	Datum *buffer;		   /* of a block in the file */
	uint64 buffered_block; /* which one, when rows are read */
	BufFile *file;
	uint64 blocks_in_file;
} PairRows;

/* No rows, for these of the columns, in the context. */
extern PairRows *PairRowsCreate(MemoryContext context, const int *columns, int width);

/* Before the first row: in so many kilobytes of memory at most, or in a few blocks. */
extern void PairRowsLimit(PairRows *rows, int kilobytes);

/* The rows that the node hands to a function; NULL if it is called by anything else. */
extern PairRows *PairRowsOfCall(Node *resultinfo);

/* Goes on to a new block, when the present one is full. */
extern void PairRowsNextBlock(PairRows *rows);

/* Adds a row, of which the columns that are not kept are not looked at. */
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

/* The kept columns of a row, one after the other, until the next one is asked for. */
extern const Datum *PairRowsAt(PairRows *rows, uint64 number);

/* Bytes in the file. */
extern int64 PairRowsFileBytes(const PairRows *rows);

/* Closes the file; the memory is the context's. */
extern void PairRowsEnd(PairRows *rows);

#endif
