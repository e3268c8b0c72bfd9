/*
 * stored_tuples.h
 *		Rows of the join node's inputs, stored while they are joined.
 *
 * A stored tuple is the row's key in the join: a minimal tuple of the needed columns, within a
 * bytea. So the join keeps, spills and returns rows as it does keys of any type.
 */
#ifndef NEARDUP_JOIN_STORED_TUPLES_H
#define NEARDUP_JOIN_STORED_TUPLES_H

#include "executor/tuptable.h"
#include "nodes/bitmapset.h"

/* How rows of an input are stored: which columns, from 0. */
typedef struct StoredTuples
{
	TupleDesc descriptor;
	int *sources; /* for each stored column its number in the input */
	Datum *values;
	bool *nulls;
} StoredTuples;

/* Where a stored tuple's columns go in the scan tuple. */
typedef struct TuplePlace
{
	TupleTableSlot *slot; /* shows the stored tuple */
	int count;
	int *from; /* numbers of stored columns */
	int *to;   /* their columns of the scan tuple */
	int first; /* all columns of the input are first .. end - 1 of the scan tuple */
	int end;
	Datum tuple; /* the one that the scan tuple has, or 0 */
} TuplePlace;

/* Makes a description that stores these columns of an input. */
extern StoredTuples *StoredTuplesCreate(TupleDesc input, Bitmapset *columns);

/*
 * Makes a place of the `count` columns of the scan tuple from `first` on. Column i of the set goes
 * to column first + i of the scan tuple. It comes from column sources[i] of the stored input, or
 * from column i if sources is NULL.
 */
extern TuplePlace *TuplePlaceCreate(const StoredTuples *tuples, int first, int count,
									Bitmapset *columns, const int *sources);

/*
 * Returns a deformed row as a stored tuple, in the current memory context; error
 * program_limit_exceeded if it is too large.
 */
extern Datum StoredTupleForm(StoredTuples *tuples, TupleTableSlot *input);

/*
 * Puts a stored tuple into the scan tuple, unless it is there already. The scan tuple points into
 * it: it must stay until another is put, or it is forgotten.
 */
extern void StoredTuplePut(TuplePlace *place, Datum tuple, TupleTableSlot *scan_tuple);

/* Puts NULL into all columns of the place. */
extern void StoredTuplePutNull(TuplePlace *place, TupleTableSlot *scan_tuple);

/* Forgets which tuple the scan tuple has. Called before it or stored tuples change. */
extern void TuplePlaceForget(TuplePlace *place);

#endif
