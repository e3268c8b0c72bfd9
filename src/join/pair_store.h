/*
 * pair_store.h
 *		The result of a join function: rows that go to disk beyond a limit, so
 *		that memory does not grow with the number of pairs.
 */
#ifndef NEARDUP_JOIN_PAIR_STORE_H
#define NEARDUP_JOIN_PAIR_STORE_H

#include "utils/tuplestore.h"

#include "join/pair_rows.h"
#include "join/similarity_join.h"

/* Of a function scan a tuplestore, of the planner's own node (pair_scan.c) its rows. */
typedef struct PairStore
{
	PairRows *rows; /* NULL in a function scan */
	Tuplestorestate *tuplestore;
	TupleDesc columns;
	TupleTableSlot *slot; /* where all columns are of 8 bytes by value: a row to copy; else NULL */
	Datum *values;		  /* of that row */
} PairStore;

/*
 * Begins the set that fcinfo asks for, with the columns a, b and a value. Errors where the caller
 * takes no set.
 */
extern void PairStoreBegin(PairStore *store, FunctionCallInfo fcinfo);

/* Whether rows have no columns, as of a query that only counts them; then their number suffices. */
static inline bool
PairStoreCountsOnly(const PairStore *store)
{
	return store->rows != NULL && store->rows->width == 0;
}

extern void PairStorePut(PairStore *store, Datum a, Datum b, Datum value);

extern void PairStoreEnd(PairStore *store);

/*
 * Runs the join, and returns its pairs as the set that fcinfo asks for, with the columns a, b,
 * both of the type of the keys (bigint for integers), and the measure's value as float8.
 */
extern Datum JoinReturnPairs(FunctionCallInfo fcinfo, const JoinRequest *request);

#endif
