/*
 * stored_tuples.h
 *		Rows of the join node's inputs, stored while they are joined.
 *
 * A stored tuple is the row's key in the join: a minimal tuple of the needed columns, in a bytea.
 */
#ifndef NEARDUP_JOIN_STORED_TUPLES_H
#define NEARDUP_JOIN_STORED_TUPLES_H

#include "executor/tuptable.h"
#include "nodes/bitmapset.h"

/* The columns of an input that are stored; from 0. */
typedef struct StoredTuples
{
	TupleDesc descriptor;
	int *sources; /* by stored column, the input's */
	Datum *values;
	bool *nulls;
} StoredTuples;

/* The columns of the scan tuple that an input fills in. */
typedef struct TuplePlace
{
	TupleTableSlot *slot;
	int count;
	int *from; /* stored columns */
	int *to;   /* columns of the scan tuple */
	int first; /* of the input's columns of the scan tuple */
	int end;
	Datum tuple; /* the one filled in, or 0 */
} TuplePlace;

extern StoredTuples *StoredTuplesCreate(TupleDesc input, Bitmapset *columns);

/*
 * Column i of the set goes to column first + i of the scan tuple. It comes from the stored input's
 * column sources[i], or i if sources is NULL.
 */
extern TuplePlace *TuplePlaceCreate(const StoredTuples *tuples, int first, int count,
									Bitmapset *columns, const int *sources);

/* Stores a deformed row in the current context; program_limit_exceeded if it is too large. */
extern Datum StoredTupleForm(StoredTuples *tuples, TupleTableSlot *input);

/* The tuple must stay until another is put, or it is forgotten. */
extern void StoredTuplePut(TuplePlace *place, Datum tuple, TupleTableSlot *scan_tuple);

extern void StoredTuplePutNull(TuplePlace *place, TupleTableSlot *scan_tuple);

/* Before stored tuples or the scan tuple change. */
extern void TuplePlaceForget(TuplePlace *place);

#endif
