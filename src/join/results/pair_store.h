/*
 * pair_store.h
 *		The pairs that a join function returns; on disk beyond JoinStoreMemory().
 */
#ifndef NEARDUP_JOIN_PAIR_STORE_H
#define NEARDUP_JOIN_PAIR_STORE_H

#include "utils/tuplestore.h"

#include "join/results/pair_rows.h"

/* Rows for the node of pair_scan.c, or else a tuplestore. */
typedef struct PairStore
{
	PairRows *rows;
	Tuplestorestate *tuplestore;
	TupleDesc columns;
	TupleTableSlot *slot; /* if all columns are 8 bytes by value */
	Datum *values;		  /* of the slot */
} PairStore;

/* Begins a set of the columns a, b and a value; an error if the caller accepts none. */
extern void PairStoreBegin(PairStore *store, FunctionCallInfo fcinfo);

/* Whether the query uses no column, so that rows->count suffices. */
static inline bool
PairStoreCountsOnly(const PairStore *store)
{
	return store->rows != NULL && store->rows->width == 0;
}

extern void PairStorePut(PairStore *store, Datum a, Datum b, Datum value);

extern void PairStoreEnd(PairStore *store);

#endif
