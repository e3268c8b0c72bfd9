/*
 * set_rows.h
 *		Rows that are sets of tokens.
 *
 * The functions serve other kinds too, whose rows become sets in their own way.
 */
#ifndef NEARDUP_JOIN_SET_ROWS_H
#define NEARDUP_JOIN_SET_ROWS_H

#include "rows/input.h"

extern const RowKind set_rows;

/* Accept a tokenset, or an array or tsvector whose elements become tokens. */
extern void SetRowsCheckColumn(const RowReading *reading, Form_pg_attribute column);
extern bool SetRowsRead(RowReading *reading, Datum value, uint64 group, JoinRow *row);

/* Whether one more row fits by the estimate of the input, which counts records. */
extern bool SetRowsFit(JoinInput *input, uint32 size);
extern Size SetRowsNeeded(JoinInput *input);

/* Appends a record of the next row. */
extern void SetRowsKeep(JoinInput *input, const SpillRow *row);

/* Writes the records to the files; SetRowsForget frees them. */
extern void SetRowsWrite(JoinInput *input);
extern void SetRowsForget(JoinInput *input);

/*
 * Drops the rows in memory whose bigint keys `keeps` refuses, as if only the others had been appended;
 * the rows may have been joined. Meanwhile those that are kept take memory twice.
 */
extern void SetRowsThin(JoinInput *input, bool (*keeps)(const void *context, int64 key),
						const void *context);

/* Writes the records to the files and frees them. */
extern void SetRowsSpill(JoinInput *input);

extern int64 SetRowsLeastCommon(Predicate predicate, uint32 size, int64 least);

/* Methods that the kinds share whose rows are records of tokens. */
#define ROWS_AS_SETS                                                                               \
	ROWS_BY_SIZE, .fits = SetRowsFit, .needed = SetRowsNeeded, .append = JoinInputAppendTokens,    \
				  .keep = SetRowsKeep, .spill = SetRowsSpill, .least_common = SetRowsLeastCommon

#endif
