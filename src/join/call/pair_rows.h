/*
 * pair_rows.h
 *		The rows of a Similarity Function Scan (pair_scan.h): the columns that its query uses.
 *
 * The function that the scan calls finds them as its resultinfo, puts all rows, and returns. Then
 * the scan reads them. Each column is a word of 8 bytes: a value of at most 8 bytes, or a range of
 * characters, packed in one (character_ranges.h).
 */
#ifndef NEARDUP_JOIN_PAIR_ROWS_H
#define NEARDUP_JOIN_PAIR_ROWS_H

#include "nodes/extensible.h"

#include "compat.h"
#include "join/rows/record_file.h"

#define PAIR_COLUMNS 3		/* of a pair: two keys and a value */
#define PAIR_MOST_COLUMNS 5 /* of any function whose rows the scan reads; the first two are keys */

typedef struct PairColumn
{
	int number;		   /* of the function's columns, from 0 */
	bool by_reference; /* its type is; a Datum of it is nd_int64_datum's */
} PairColumn;

typedef struct PairRows
{
	ExtensibleNode node; /* must be first */
	MemoryContext context;
	PairColumn columns[PAIR_MOST_COLUMNS]; /* stored ones */
	int width;							   /* if it is 0, rows are only counted */
	uint64 count;
	RecordFile records;
} PairRows;

/* Creates rows in the context, without a limit of memory yet. */
extern PairRows *PairRowsCreate(MemoryContext context, const PairColumn *columns, int width);

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
		int64 *stored = RecordFilePut(&rows->records);

		for (int i = 0; i < rows->width; i++)
		{
			const PairColumn *column = &rows->columns[i];
			Datum value = row[column->number];

			stored[i] = column->by_reference ? DatumGetInt64(value) : (int64) value;
		}
	}
}

/* Returns the stored columns of a row, from 0; they are valid until the next call. */
static inline const int64 *
PairRowsAt(PairRows *rows, uint64 number)
{
	return rows->width == 0 ? NULL : RecordFileAt(&rows->records, number);
}

/* Returns a stored column's value, to which the word may belong. */
static inline Datum
PairColumnDatum(const PairColumn *column, const int64 *word)
{
	return column->by_reference ? nd_int64_datum(word) : (Datum) *word;
}

#endif
