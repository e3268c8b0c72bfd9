/*
 * query.h
 *		Runs a query that a user gave as text.
 */
#ifndef NEARDUP_JOIN_QUERY_H
#define NEARDUP_JOIN_QUERY_H

#include "executor/tuptable.h"
#include "tcop/dest.h"

/* A receiver of rows that calls functions of its user. */
typedef struct QueryReceiver
{
	DestReceiver dest; /* must be first */
	void (*begin)(void *context, TupleDesc columns);
	bool (*row)(void *context, TupleTableSlot *row);
	void *context;
} QueryReceiver;

/*
 * `begin` is called before the first row and may be NULL; `row` takes a row and returns whether to
 * go on.
 */
extern void QueryReceiverInit(QueryReceiver *receiver,
							  void (*begin)(void *context, TupleDesc columns),
							  bool (*row)(void *context, TupleTableSlot *row), void *context);

/*
 * Runs a SELECT in the caller's snapshot, through an SPI connection of its own. `what` names the
 * query in messages, and `columns` what it is to return, such as "key, set"; NULL for a query that is
 * not the user's. Raises syntax_error unless it is exactly one statement, and feature_not_supported
 * unless that is a SELECT that only reads.
 */
extern void JoinRunQuery(const char *what, const char *columns, const char *query,
						 DestReceiver *dest);

/* How the rows of a query are sampled. */
typedef struct QuerySample
{
	double percent; /* per cent of the table's rows, or of its blocks, that are read */

	/* Set before the first row: */
	double expected_rows; /* number of rows that the planner expects */
	uint64 blocks; /* blocks of the table, if one is read, else 0; then rows end with a ctid */
	bool by_block; /* the table is too large to be scanned for a sample of rows */
} QuerySample;

/* Runs the query for a sample of its rows; the receiver may end it. */
extern void JoinRunSample(const char *what, const char *columns, const char *query,
						  QuerySample *sample, DestReceiver *dest);

#endif
