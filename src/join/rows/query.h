/*
 * query.h
 *		Runs a query that a user gave as text.
 */
#ifndef NEARDUP_JOIN_QUERY_H
#define NEARDUP_JOIN_QUERY_H

#include "tcop/dest.h"

/*
 * Runs a SELECT in the caller's snapshot, through an SPI connection of its own. `what` names it in
 * messages.
 *
 * Errors: syntax_error unless exactly one statement, feature_not_supported unless a read-only
 * SELECT.
 */
extern void JoinRunQuery(const char *what, const char *query, DestReceiver *dest);

#endif
