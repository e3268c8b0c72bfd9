/*
 * link_rows.h
 *		The rows of one of two tables that are to be linked: their keys, and their texts.
 *
 * A row has a key and one text or two, perhaps also values that part it from rows with other ones
 * (veto.h), and is known by the rank of its key. The query is run once. Keys stay in memory; texts wait
 * in a tuple store, which is small beside the sets of their tokens, and are tokenized as often as these
 * are joined.
 */
#ifndef NEARDUP_LINK_LINK_ROWS_H
#define NEARDUP_LINK_LINK_ROWS_H

#include "nodes/execnodes.h"

#include "join/call/call_rows.h"
#include "join/call/row_values.h"
#include "link/veto.h"

/* What rows are compared by: the first text or all of them, by words alone or 4-grams as well. */
typedef struct LinkTokens
{
	bool has_all_texts;
	bool has_grams;
} LinkTokens;

/* The columns by which rows are parted; both queries have them. */
typedef struct LinkDiffer
{
	char **names;
	int count;
} LinkDiffer;

typedef struct LinkRows
{
	const char *name; /* the argument's name */
	const char *function;
	LinkDiffer differ;
	CallRows rows;
	bool has_other_text;

	/* Until the texts are forgotten: */
	EState *executor;  /* of the casts */
	ExprState **casts; /* of the columns of `texts`, each as a text */
	RowValues texts;   /* one or two texts, and then what parts rows */
	Datum *values;	   /* of the row that is read */
	bool *nulls;
} LinkRows;

/*
 * Runs the query of a side, 0 for query_a and 1 for query_b, with keys as `reader` tells; `except` has
 * the pairs that are no links, or is NULL. Allocates in the current memory context. Raises the errors of
 * CallRowsRead, datatype_mismatch for wrong columns, undefined_column where one of `differ` is missing,
 * cannot_coerce for one that is no text.
 */
extern void LinkRowsRead(LinkRows *rows, const ReaderSpec *reader, int side, const char *query,
						 ExceptPairs *except, LinkDiffer differ);

/* Takes what parts the rows; the thing of the row of rank 0 is `first`. */
extern void LinkRowsTakeVeto(LinkRows *rows, Veto *veto, uint32 first);

/* Appends the tokens of the rows with a text to a side of a join; the key is the row's rank. */
extern void LinkRowsAppend(LinkRows *rows, LinkTokens tokens, CallRows *places);

/* Frees the texts; the keys remain. */
extern void LinkRowsForgetTexts(LinkRows *rows);

#endif
