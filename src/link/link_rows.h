/*
 * link_rows.h
 *		The rows of one of two tables that are to be linked: their keys, and their texts.
 *
 * A row has a key and one text or two. The query is run once. Keys stay in memory; texts wait in a
 * tuple store, which is small beside the sets of their tokens, and are tokenized as often as these are
 * joined.
 */
#ifndef NEARDUP_LINK_LINK_ROWS_H
#define NEARDUP_LINK_LINK_ROWS_H

#include "nodes/execnodes.h"
#include "utils/tuplestore.h"

#include "join/call/except_pairs.h"
#include "join/call/call_rows.h"

/* What rows are compared by: the first text or all of them, by words alone or 4-grams as well. */
typedef struct LinkTokens
{
	bool has_all_texts;
	bool has_grams;
} LinkTokens;

typedef struct LinkRows
{
	const char *name; /* the argument's name */
	const char *function;
	int side; /* 0 for query_a, 1 for query_b */
	KeyPolicy key_policy;
	Oid key_type;		 /* type of the keys, set for KEYS_OF_TYPE */
	ExceptPairs *except; /* NULL if all pairs may be links */

	bool has_other_text;
	JoinKeys keys;
	KeyOrder order;	  /* the rank of its key identifies a row */
	uint32 *excepted; /* the number of each key in `except`, as they were read; NULL without it */
	Size excepted_capacity;

	EState *executor;	 /* of the casts, until the texts are forgotten */
	ExprState *casts[2]; /* each column as a text */
	TupleDesc columns;	 /* of the texts */
	Tuplestorestate *texts;
	TupleTableSlot *slot;
	MemoryContext context;	   /* the context in which LinkRowsRead was called */
	MemoryContext row_context; /* what is made of one row */
} LinkRows;

/*
 * Runs the query; name, function, side, policy, type and exceptions are set. Raises the errors of
 * JoinRunQuery; datatype_mismatch for wrong columns; unique_violation for keys that repeat.
 */
extern void LinkRowsRead(LinkRows *rows, const char *query);

/* Appends the tokens of the rows with a text to a side of a join; the key is the row's rank. */
extern void LinkRowsAppend(LinkRows *rows, LinkTokens tokens, CallRows *places);

/* Frees the texts; the keys remain. */
extern void LinkRowsForgetTexts(LinkRows *rows);

/* Whether a row and one of another table, by their ranks, are a pair that is no link. */
extern bool LinkRowsAreExcepted(const LinkRows *rows, uint32 row, const LinkRows *others,
								uint32 other);

#endif
