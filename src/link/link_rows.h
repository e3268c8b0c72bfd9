/*
 * link_rows.h
 *		The rows of one of two tables that are to be linked: their keys, and their texts.
 *
 * A row has a key and one text or two, and is known by the rank of its key. The query is run once. Keys
 * stay in memory; texts wait in a tuple store, which is small beside the sets of their tokens, and are
 * tokenized as often as these are joined.
 */
#ifndef NEARDUP_LINK_LINK_ROWS_H
#define NEARDUP_LINK_LINK_ROWS_H

#include "nodes/execnodes.h"

#include "join/call/call_rows.h"
#include "join/call/row_values.h"

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
	CallRows rows;
	bool has_other_text;

	/* Until the texts are forgotten: */
	EState *executor;	 /* of the casts */
	ExprState *casts[2]; /* each column as a text */
	RowValues texts;
} LinkRows;

/*
 * Runs the query of a side, 0 for query_a and 1 for query_b, with keys as `reader` tells; `except` has
 * the pairs that are no links, or is NULL. Allocates in the current memory context. Raises the errors of
 * CallRowsRead, datatype_mismatch for wrong columns, cannot_coerce for one that is no text.
 */
extern void LinkRowsRead(LinkRows *rows, const ReaderSpec *reader, int side, const char *query,
						 ExceptPairs *except);

/* Appends the tokens of the rows with a text to a side of a join; the key is the row's rank. */
extern void LinkRowsAppend(LinkRows *rows, LinkTokens tokens, CallRows *places);

/* Frees the texts; the keys remain. */
extern void LinkRowsForgetTexts(LinkRows *rows);

#endif
