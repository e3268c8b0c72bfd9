/*
 * track_statements.h
 *		The SQL that keeps the clusters of a tracked table.
 */
#ifndef NEARDUP_TRACK_TRACK_STATEMENTS_H
#define NEARDUP_TRACK_TRACK_STATEMENTS_H

#include "track/track_entry.h"

#define TRACK_MOST_TYPES 5

/*
 * Write the types of a statement's parameters, or the types of the columns that come back, at most
 * TRACK_MOST_TYPES; return how many.
 */
extern int TrackStatementParameters(const TrackTable *table, TrackStatement statement, Oid *types);
extern int TrackStatementColumns(const TrackTable *table, TrackStatement statement, Oid *types);

/*
 * Returns the text of a statement, palloc'd. All names but those of pg_catalog are qualified, since
 * statements run with the search path pg_catalog, pg_temp.
 */
extern char *TrackStatementText(const TrackTable *table, TrackStatement statement);

/*
 * Returns the query of sets for TRACK_SPLIT and TRACK_REPAIR, palloc'd: each different set once, of
 * the rows of DOC_neardup for which the SQL condition `chosen` holds, after a member that has it.
 */
extern char *TrackSetsQuery(const TrackTable *table, const char *chosen);

#endif
