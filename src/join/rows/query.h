/*
 * query.h
 *		Runs a query that a user gave as a text.
 */
#ifndef NEARDUP_JOIN_QUERY_H
#define NEARDUP_JOIN_QUERY_H

#include "tcop/dest.h"

/*
 * Runs one SELECT in the caller's snapshot, with the caller's rights, and hands
 * its rows to the receiver. Connects to SPI by itself; messages name the query
 * by `what`, such as "query of a similarity join".
 *
 * Errors: syntax_error where it is not exactly one statement,
 * feature_not_supported where it is not a read-only SELECT.
 */
extern void JoinRunQuery(const char *what, const char *query, DestReceiver *dest);

#endif
