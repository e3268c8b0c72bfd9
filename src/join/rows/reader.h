/*
 * reader.h
 *		Reads the rows of a query into a join.
 */
#ifndef NEARDUP_JOIN_READER_H
#define NEARDUP_JOIN_READER_H

#include "executor/tuptable.h"

#include "join/rows/input.h"
#include "join/rows/query.h"
#include "minhash/minhash.h"

/* Sees the rows of a query, which may have further columns, and gives them bigint keys of its own. */
typedef struct RowObserver
{
	int further_columns;
	void *context;
	/* Before the first row of each query. */
	void (*begin)(void *context, TupleDesc columns);
	/* Whether a row is to be read, and its key. Its own key and set may be NULL. */
	bool (*row)(void *context, TupleTableSlot *row, Datum *key);
} RowObserver;

/*
 * Sketches of full width and of the first one's kind. Tokens have a component's number in the upper
 * half, its value in the lower.
 */
typedef struct SketchReading
{
	const char *function; /* for errors */
	bool is_known;
	MinhashKind kind;		   /* if is_known */
	BucketSpec *supershingles; /* their keys are set with the kind; may be NULL */
} SketchReading;

/* Takes the sets of a sample of the rows; they are not appended, and keys may be of any type. */
typedef struct SetTaker
{
	QuerySample *sample;
	void *context;
	/* Returns whether to go on. */
	bool (*take)(void *context, TupleTableSlot *row, const void *tokens, Size count);
} SetTaker;

typedef struct ReaderSpec
{
	KeyPolicy key_policy;
	Oid key_type;			 /* for KEYS_OF_TYPE */
	bool keys_are_compared;	 /* then their type must have an order */
	bool reads_texts;		 /* instead of sets */
	SketchReading *sketches; /* instead of sets; else NULL */
	Oid simhash_type;		 /* to read simhashes, else invalid */
	Oid tokenset_type;
	Oid minhash_type;			 /* to read sketches */
	const RowObserver *observer; /* may be NULL */
	const SetTaker *taker;		 /* may be NULL */
} ReaderSpec;

/*
 * Appends the rows of a query (JoinRunQuery), each a key and a set, text, sketch or simhash, unless
 * one is NULL. Once for each side. With a taker, the input is NULL.
 *
 * Errors: those of JoinRunQuery, JoinKeysInit and JoinInputAppend; datatype_mismatch for wrong
 * columns, null_value_not_allowed for NULL elements of arrays, character_not_in_repertoire for
 * texts of an SQL_ASCII database that are not UTF-8.
 */
extern void JoinReadQuery(JoinInput *input, const ReaderSpec *spec, const char *query);

#endif
