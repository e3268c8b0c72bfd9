/*
 * reader.h
 *		Reads the rows of a query.
 */
#ifndef NEARDUP_JOIN_READER_H
#define NEARDUP_JOIN_READER_H

#include "rows/keys.h"
#include "rows/query.h"
#include "rows/row_kind.h"

typedef struct ReaderSpec
{
	const char *function; /* the SQL name of the function that is called, for errors */
	const char *query;	  /* what errors call the query; NULL for "query of" the function */
	const char
		*columns; /* what it is to return, where no kind tells; NULL if it is not the user's */
	KeyPolicy key_policy;
	Oid key_type;			/* type of the keys, set for KEYS_OF_TYPE */
	bool keys_are_compared; /* then their type must have an order */
	Oid schema;				/* schema of the extension */
} ReaderSpec;

/* What takes the rows of a query: a key and a value of the kind, and perhaps further columns. */
typedef struct RowSink
{
	const RowKind *kind;	 /* NULL if no value is read: `sees` takes the rows */
	struct JoinInput *input; /* the one that the kind reads values for; NULL if there is none */
	int further_columns;
	QuerySample *sample; /* how rows are sampled; NULL for all rows */
	void *context;
	/* Called before the first row of each query. Checks the type of the keys. */
	void (*begin)(void *context, const ReaderSpec *spec, TupleDesc columns);
	/*
	 * Returns whether the value of a row is to be read, which then is not NULL, and sets the group of
	 * the row (RowKind.read). If it is NULL, rows with a key and a value are read, in no group. Without a
	 * kind, takes the rows and returns false.
	 */
	bool (*sees)(void *context, TupleTableSlot *row, uint64 *group);
	/* Takes a row whose value was read, and returns whether to go on. Its memory is reset after it. */
	bool (*take)(void *context, TupleTableSlot *row, const JoinRow *value);
	void (*end)(void *context); /* called after the last row of each query; may be NULL */
} RowSink;

/*
 * Feeds the rows of a query (JoinRunQuery) to the sink, also one that is similar to no other: it is
 * counted.
 *
 * Errors: those of JoinRunQuery and of the sink; datatype_mismatch for wrong columns; those of reading
 * a value, such as null_value_not_allowed for a NULL element of an array.
 */
extern void JoinReadQuery(const RowSink *sink, const ReaderSpec *spec, const char *query);

/* Returns the type of the keys, the first column. Raises the errors of JoinKeyColumnType. */
static inline Oid
ReaderKeyType(const ReaderSpec *spec, TupleDesc columns)
{
	return JoinKeyColumnType(TupleDescAttr(columns, 0), spec->key_policy, spec->key_type);
}

#endif
