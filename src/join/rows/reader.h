/*
 * reader.h
 *		Reads the rows of a query into the records, or the texts, of a join.
 */
#ifndef NEARDUP_JOIN_READER_H
#define NEARDUP_JOIN_READER_H

#include "executor/tuptable.h"

#include "join/rows/input.h"
#include "minhash/minhash.h"

/* Who else looks at the rows of a query, which then has so many columns more. */
typedef struct RowObserver
{
	int further_columns;
	void *context;
	/* Before the first row: the columns. */
	void (*begin)(void *context, TupleDesc columns);
	/* Each row, also where its key or set is NULL, before it is read. */
	void (*row)(void *context, TupleTableSlot *row);
} RowObserver;

/*
 * Sketches of full width, and of one kind, which the first of them says. As a
 * set, a sketch has the component's number in the upper half of each token, and its
 * value in the lower.
 */
typedef struct SketchReading
{
	const char *function; /* that needs them, for errors */
	bool is_known;
	MinhashKind kind;		   /* if it is known */
	BucketSpec *supershingles; /* whose number of keys is set with it; NULL if there are none */
} SketchReading;

typedef struct ReaderSpec
{
	KeyPolicy key_policy;
	Oid key_type;			 /* for KEYS_OF_TYPE */
	bool keys_are_compared;	 /* as in a self-join: the key's type must have an order */
	bool reads_texts;		 /* texts as they stand, not sets */
	SketchReading *sketches; /* sketches, not sets; else NULL */
	Oid simhash_type;		 /* if it is a join of simhashes, and reads these */
	Oid tokenset_type;
	Oid minhash_type;			 /* where sketches are read */
	const RowObserver *observer; /* NULL if there is none */
} ReaderSpec;

/*
 * Runs a query of one SELECT that returns a key and a set (or a text, a sketch or a simhash), in
 * the caller's snapshot, and appends its rows. Rows whose key or set is NULL are skipped.
 * Called once for each side of a join. Connects to SPI by itself.
 *
 * Errors: syntax_error where it is not exactly one statement,
 * feature_not_supported where it is not a read-only SELECT, datatype_mismatch
 * where its columns are not those, undefined_function where keys
 * are compared and their type has no order, null_value_not_allowed for NULL
 * elements of arrays, character_not_in_repertoire for texts of an SQL_ASCII
 * database that are not UTF-8.
 */
extern void JoinReadQuery(JoinInput *input, const ReaderSpec *spec, const char *query);

#endif
