/*
 * pair_rows.h
 *		The rows of a Similarity Function Scan (pair_scan.h): the columns that its query uses.
 *
 * The function that the scan calls finds them as its resultinfo, puts all rows, and returns. Then
 * the scan reads them. Each column is a Datum by value; a range of characters is packed in one
 * (character_ranges.h).
 */
#ifndef NEARDUP_JOIN_PAIR_ROWS_H
#define NEARDUP_JOIN_PAIR_ROWS_H

#include "nodes/extensible.h"

#include "join/rows/record_file.h"

#define PAIR_COLUMNS 3		/* of a pair: two keys and a value */
#define PAIR_MOST_COLUMNS 5 /* of any function whose rows the scan reads; the first two are keys */

typedef struct PairRows
{
	ExtensibleNode node; /* must be first */
	MemoryContext context;
	int columns[PAIR_MOST_COLUMNS]; /* stored ones, from 0 */
	int width;						/* number of columns; if it is 0, rows are only counted */
	uint64 count;
	RecordFile records;
} PairRows;

/* Creates rows in the context, without a limit of memory yet. */
extern PairRows *PairRowsCreate(MemoryContext context, const int *columns, int width);

/* Sets the memory from which on rows go to a file; called before the first row. */
extern void PairRowsLimit(PairRows *rows, int kilobytes);

/* Returns the rows of the scan that calls a function, or NULL if the caller is another node. */
extern PairRows *PairRowsOfCall(Node *resultinfo);

/* Puts a row, given all columns of the function. */
static inline void
PairRowsPut(PairRows *rows, const Datum *row)
{
	rows->count++;
	if (rows->width > 0)
	{
		Datum *stored = RecordFilePut(&rows->records);

		for (int i = 0; i < rows->width; i++)
			stored[i] = row[rows->columns[i]];
	}
}

/* Returns the stored columns of a row, from 0; they are valid until the next call. */
static inline const Datum *
PairRowsAt(PairRows *rows, uint64 number)
{
	return rows->width == 0 ? NULL : RecordFileAt(&rows->records, number);
}

#endif
