/*
 * reader.h
 *		Reads the rows of a query into a join.
 */
#ifndef NEARDUP_JOIN_READER_H
#define NEARDUP_JOIN_READER_H

#include "executor/tuptable.h"

#include "join/rows/input.h"
#include "join/rows/query.h"

/*
 * Sees the rows of a query, which may have further columns, and gives them bigint keys of its own.
 */
typedef struct RowObserver
{
	int further_columns;
	void *context;
	/* Called before the first row of each query. */
	void (*begin)(void *context, TupleDesc columns);
	/*
	 * Returns whether a row is to be read, and sets its key. Its columns key and value may be NULL.
	 */
	bool (*row)(void *context, TupleTableSlot *row, int64 *key);
	/* The group of the row that was seen last (RowKind.read); NULL where no row has one. */
	const uint64 *group;
	/* Returns whether the row that was read last is to be appended; NULL for all. */
	bool (*takes)(void *context, const JoinRow *row);
	/* Called after the last row of each query; may be NULL. */
	void (*end)(void *context);
} RowObserver;

/* Takes the rows of a sample, of this kind; they are not appended, and keys may be of any type. */
typedef struct RowTaker
{
	const RowKind *kind;
	QuerySample *sample;
	void *context;
	/* Returns whether to go on. */
	bool (*take)(void *context, TupleTableSlot *slot, const JoinRow *row);
} RowTaker;

typedef struct ReaderSpec
{
	const char *function; /* the SQL name of the function that is called, for errors */
	KeyPolicy key_policy;
	Oid key_type;				 /* type of the keys, set for KEYS_OF_TYPE */
	bool keys_are_compared;		 /* then their type must have an order */
	Oid schema;					 /* schema of the extension */
	void *kind_state;			 /* the state of RowReading */
	const RowObserver *observer; /* may be NULL */
	const RowTaker *taker;		 /* may be NULL */
} ReaderSpec;

/*
 * Appends the rows of a query (JoinRunQuery), each a key and a value of the kind of the input,
 * unless one is NULL. Called once for each side. With a taker, the input is NULL.
 *
 * Errors: those of JoinRunQuery, JoinKeysInit and JoinInputAppend; datatype_mismatch for wrong
 * columns; those of reading a value, such as null_value_not_allowed for a NULL element of an array.
 */
extern void JoinReadQuery(JoinInput *input, const ReaderSpec *spec, const char *query);

#endif
