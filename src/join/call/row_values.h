/*
 * row_values.h
 *		Values of rows, or of groups of them, that are read again and again in the order of their numbers.
 *
 * They wait in a tuple store, in a small part of the memory of a join, then in a file.
 */
#ifndef NEARDUP_JOIN_ROW_VALUES_H
#define NEARDUP_JOIN_ROW_VALUES_H

#include "executor/tuptable.h"
#include "utils/tuplestore.h"

typedef struct RowValues
{
	TupleDesc columns;
	Tuplestorestate *store;
	TupleTableSlot *slot; /* the values that were read last */
} RowValues;

/* Begins with values in `count` columns of one type; allocates in the current memory context. */
extern void RowValuesBegin(RowValues *values, int count, Oid type);

/* Puts the values of the next row, which must not be stored elsewhere. */
extern void RowValuesPut(RowValues *values, Datum *columns, bool *nulls);

/* Begins to read from the first row on. */
extern void RowValuesRewind(RowValues *values);

/* Reads the values of the next row into the slot; returns false after the last one. Can be cancelled. */
extern bool RowValuesNext(RowValues *values);

extern void RowValuesEnd(RowValues *values);

#endif
