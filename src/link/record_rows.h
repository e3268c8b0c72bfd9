/*
 * record_rows.h
 *		The rows of a table of records: keys, values, and which rows are equal.
 *
 * Values are normalized, words with a blank between; one without a word is none. Rows that have the
 * same values in all columns that are read, the same scope and the same entity are one group, so that
 * thousands of equal rows need not be compared with each other. Rows have their places by their keys.
 */
#ifndef NEARDUP_LINK_RECORD_ROWS_H
#define NEARDUP_LINK_RECORD_ROWS_H

#include "join/call/call_rows.h"
#include "join/call/row_values.h"
#include "link/record_entities.h"
#include "link/record_request.h"
#include "link/record_text.h"
#include "link/veto.h"
#include "text/bytes.h"

typedef struct RecordRows
{
	const RecordRequest *request;
	CallRows rows;	  /* of a join of all values of the groups */
	RowValues values; /* of the groups by number: bytes in UTF-8 */
	uint32
		*kept; /* the groups that still have values, in their order; NULL if all have, by number */
	uint32 *positions;		  /* by group: its place among `kept` */
	uint32 next;			  /* the number of the next group that RecordRowsNext finds */
	RecordTexts *columns;	  /* of the query */
	RecordEntities *entities; /* NULL if the request has none */

	/* By place of the row: */
	CopyHash *texts;   /* of all compared values, as they are written */
	uint32 *preferred; /* its place in the order of preference; NULL if keys are that order */
	uint32 *entity;	   /* the number of its entity, or NO_ROW; NULL if the request has none */
} RecordRows;

/*
 * Begins the join by the request, whose kind of rows are weighted sets, and reads the rows; then all values
 * of each group together, its words and 4-grams, are a row of the join. Allocates in the current memory
 * context. Raises the errors of CallRowsRead and ExceptPairsRead.
 */
extern void RecordRowsRead(RecordRows *rows, SimilarityJoin *join, JoinRequest *join_request,
						   const RecordRequest *request);

/* Returns the entity of a group, whose rows have the same one, or NO_ROW. */
static inline uint32
RecordRowsEntity(const RecordRows *rows, uint32 group)
{
	return rows->entity == NULL ? NO_ROW : rows->entity[*CallRowsMembers(&rows->rows, group)];
}

/* Whether a pair of groups is of no interest, since both belong to entities. */
static inline bool
RecordRowsAreKnown(const RecordRows *rows, uint32 a, uint32 b)
{
	return RecordRowsEntity(rows, a) != NO_ROW && RecordRowsEntity(rows, b) != NO_ROW;
}

/* Begins to read the values of the groups once more. */
extern void RecordRowsRewind(RecordRows *rows);

/* Forgets the values of all groups but these. */
extern void RecordRowsKeep(RecordRows *rows, const bool *are_kept);

/* Returns the place of a group that has values in the order of RecordRowsNext. */
static inline uint32
RecordRowsPosition(const RecordRows *rows, uint32 group)
{
	return rows->kept == NULL ? rows->rows.numbers[group] : rows->positions[group];
}

/* Sets the next group that has values; false at the end. Groups come by number, not by rank. */
extern bool RecordRowsNext(RecordRows *rows, uint32 *group);

/* Returns the value of the group in a column, empty where there is none; it is valid until the next group. */
extern ByteSpan RecordRowsValue(const RecordRows *rows, int column);

/* Returns the words and 4-grams of all compared values of the group that came last, ascending. */
extern TokenList RecordRowsTokensOfGroup(const RecordRows *rows);

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
