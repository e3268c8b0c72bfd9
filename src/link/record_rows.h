/*
 * record_rows.h
 *		The rows of a table of records: keys, values, and which rows are equal.
 *
 * Values are normalized, words with a blank between; one without a word is none. Rows that have the
 * same values in all columns, and the same scope, are one unit, so that thousands of equal rows need not
 * be compared with each other. A row that is in a pair of `except_pairs` is a unit by itself. Units
 * are known by the order of the least keys of their rows, so that nothing depends on the order in
 * which rows are read.
 */
#ifndef NEARDUP_LINK_RECORD_ROWS_H
#define NEARDUP_LINK_RECORD_ROWS_H

#include "executor/tuptable.h"
#include "utils/tuplestore.h"

#include "join/call/except_pairs.h"
#include "join/rows/copies.h"
#include "join/rows/key_order.h"
#include "join/similarity_join.h"
#include "link/record_request.h"
#include "text/bytes.h"

typedef struct RecordRows
{
	const RecordRequest *request;
	SimilarityJoin *join;  /* of all values of the units, which have numbers for keys */
	MemoryContext context; /* of all below */
	JoinKeys keys;
	KeyOrder order;
	uint32 count;

	/* By the number of a row, as it was read: */
	CopyHash *texts; /* of all values, as they are written */
	uint32 *places;	 /* in the order of preference; NULL if keys are that order */
	uint32 *units;	 /* the number of the unit; once keys are in order, the unit */
	Size text_capacity;
	Size place_capacity;
	Size row_unit_capacity;

	uint32 unit_count;
	uint32 *ranks; /* the unit, by its number as it was read */
	uint32 *sizes; /* rows of each unit */

	/* By the number of a unit, and by unit once keys are in order: */
	uint32 *scopes;	  /* NULL if all rows have one scope */
	uint32 *excepted; /* the number of its row's key in `except`; NULL without it */
	Size scope_capacity;
	Size excepted_capacity;
	ExceptPairs *except;

	Copies *contents; /* while rows are read */
	MemoryContext row_context;
	TupleDesc columns;		 /* of the values: bytes in UTF-8 */
	Tuplestorestate *values; /* of the units, by number */
	TupleTableSlot *slot;
	uint32 next; /* the number of the next unit that RecordRowsNext finds */
} RecordRows;

/*
 * Begins the join by the task, whose kind of rows are weighted sets, and reads the rows; then all values
 * of each unit together, its words and 4-grams, are a row of the join. Pairs of different scopes,
 * and pairs of `except_pairs`, are not accepted. Allocates in the current memory context.
 *
 * Errors: those of the query, of ExceptPairsRead and JoinKeysInit; null_value_not_allowed for a key
 * that is NULL; unique_violation for one that repeats.
 */
extern void RecordRowsRead(RecordRows *rows, SimilarityJoin *join, JoinTask *task,
						   const RecordRequest *request);

/* Begins to read the values of the units once more. */
extern void RecordRowsRewind(RecordRows *rows);

/* Sets the next unit and its value in a column, which is empty where there is none; false at the end. */
extern bool RecordRowsNext(RecordRows *rows, int column, uint32 *unit, ByteSpan *value);

/* Forgets the values. */
extern void RecordRowsForgetValues(RecordRows *rows);

/* Whether two units may be a pair: they have one scope, and are no pair of `except_pairs`. */
extern bool RecordRowsComparable(const RecordRows *rows, uint32 a, uint32 b);

/* Returns the unit of a row that the join has. */
static inline uint32
RecordRowsUnit(const RecordRows *rows, uint32 row)
{
	return rows->ranks[JoinKeysInt64(&rows->join->part->keys, row)];
}

#endif
