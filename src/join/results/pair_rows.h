/*
 * pair_rows.h
 *		The rows of a Similarity Function Scan (pair_scan.h): the columns that its query uses.
 *
 * The function that the scan calls finds them as its resultinfo, puts all rows, and returns. Then
 * the scan reads them.
 */
#ifndef NEARDUP_JOIN_PAIR_ROWS_H
#define NEARDUP_JOIN_PAIR_ROWS_H

#include "nodes/extensible.h"

#include "join/rows/record_file.h"

#define PAIR_COLUMNS 3

typedef struct PairRows
{
	ExtensibleNode node; /* must be first */
	MemoryContext context;
	int columns[PAIR_COLUMNS]; /* stored ones, from 0 */
	int width;				   /* number of columns; if it is 0, rows are only counted */
	uint64 count;
	RecordFile records; /* Datums by value */
} PairRows;

/* Creates rows in the context, without a limit of memory yet. */
extern PairRows *PairRowsCreate(MemoryContext context, const int *columns, int width);

/* Sets the memory from which on rows go to a file; called before the first row. */
extern void PairRowsLimit(PairRows *rows, int kilobytes);

/* Returns the rows of the scan that calls a function, or NULL if the caller is another node. */
extern PairRows *PairRowsOfCall(Node *resultinfo);

static inline void
PairRowsPut(PairRows *rows, Datum a, Datum b, Datum value)
{
	const Datum row[PAIR_COLUMNS] = {a, b, value};
	Datum *stored = RecordFilePut(&rows->records);

	for (int i = 0; i < rows->width; i++)
		stored[i] = row[rows->columns[i]];
	rows->count++;
}

/* Returns the stored columns of a row, from 0; they are valid until the next call. */
static inline const Datum *
PairRowsAt(PairRows *rows, uint64 number)
{
	return rows->width == 0 ? NULL : RecordFileAt(&rows->records, number);
}

#endif
