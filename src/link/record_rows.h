/*
 * record_rows.h
 *		The rows of a table of records: keys, values, and which rows are equal.
 *
 * Values are normalized, words with a blank between; one without a word is none. Rows that have the
 * same values in all columns that are read, and the same scope, are one group, so that thousands of equal rows need
 * not be compared with each other. Rows have their places by their keys.
 */
#ifndef NEARDUP_LINK_RECORD_ROWS_H
#define NEARDUP_LINK_RECORD_ROWS_H

#include "join/call/call_rows.h"
#include "join/call/row_values.h"
#include "link/record_request.h"
#include "link/record_text.h"
#include "link/veto.h"
#include "text/bytes.h"

typedef struct RecordRows
{
	const RecordRequest *request;
	CallRows rows;		  /* of a join of all values of the groups */
	RowValues values;	  /* of the groups by number: bytes in UTF-8 */
	uint32 next;		  /* the number of the next group that RecordRowsNext finds */
	RecordTexts *columns; /* of the query */

	/* By place of the row: */
	CopyHash *texts;   /* of all compared values, as they are written */
	uint32 *preferred; /* its place in the order of preference; NULL if keys are that order */
} RecordRows;

/*
 * Begins the join by the request, whose kind of rows are weighted sets, and reads the rows; then all values
 * of each group together, its words and 4-grams, are a row of the join. Allocates in the current memory
 * context. Raises the errors of CallRowsRead and ExceptPairsRead.
 */
extern void RecordRowsRead(RecordRows *rows, SimilarityJoin *join, JoinRequest *join_request,
						   const RecordRequest *request);

/* Begins to read the values of the groups once more. */
extern void RecordRowsRewind(RecordRows *rows);

/* Sets the next group; false at the end. Groups come by number, not by rank. */
extern bool RecordRowsNext(RecordRows *rows, uint32 *group);

/* Returns the value of the group in a column, empty where there is none; it is valid until the next group. */
extern ByteSpan RecordRowsValue(const RecordRows *rows, int column);

/*
 * Returns how many rows have each token of all compared values together, counted on some of the groups.
 * Allocates in the current memory context.
 */
extern RecordFrequencies RecordRowsTokens(RecordRows *rows);

/* Returns what parts the groups: their values in the columns of `differ`. */
extern Veto RecordRowsVeto(RecordRows *rows);

/* Forgets the values. */
extern void RecordRowsForgetValues(RecordRows *rows);

#endif
