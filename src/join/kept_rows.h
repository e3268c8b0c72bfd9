/*
 * kept_rows.h
 *		Rows of an executor node's inputs, kept while they are joined.
 *
 * Of a row is kept what the node returns or filters by, as the key of the
 * row in the join (input.h): a bytea that contains a tuple.
 */
#ifndef NEARDUP_JOIN_KEPT_ROWS_H
#define NEARDUP_JOIN_KEPT_ROWS_H

#include "executor/tuptable.h"
#include "nodes/bitmapset.h"

/* Which columns of an input are kept. */
typedef struct KeptRows
{
	TupleDesc descriptor;
	int *sources; /* by kept column, the column of the input, from 0 */
	Datum *values;
	bool *nulls;
} KeptRows;

/* Where the columns of a kept row stand in a wider row. */
typedef struct KeptPlace
{
	TupleTableSlot *slot;
	int count;
	int *from; /* kept columns, from 0 */
	int *to;   /* columns of the wider row, from 0 */
	int first; /* the columns of the wider row that are this input's */
	int end;
	Datum row; /* that is in the place; 0 for a row of nulls */
} KeptPlace;

/* Keeps the columns of the input that are in the set, which counts from 0. */
extern KeptRows *KeptRowsCreate(TupleDesc input, Bitmapset *columns);

/*
 * The place of an input whose column i becomes column first + i of the wider
 * row; only those in the set are filled in. sources says which column of what is
 * kept that is, NULL if it is the same.
 */
extern KeptPlace *KeptPlaceCreate(const KeptRows *rows, int first, int count, Bitmapset *columns,
								  const int *sources);

/* The row to keep, in the current memory context, where something else is left too. */
extern Datum KeptRowOf(KeptRows *rows, TupleTableSlot *input);

/* Fills in a row that was kept, which must stay as long as it is in its place. */
extern void KeptRowPut(KeptPlace *place, Datum row, TupleTableSlot *wide);

/* To be called when rows, or the wider row, are about to change. */
extern void KeptPlaceForget(KeptPlace *place);

/* Fills in nulls. */
extern void KeptRowPutNull(KeptPlace *place, TupleTableSlot *wide);

#endif
