/*
 * track_statements.h
 *		The SQL that keeps the clusters of a tracked table.
 */
#ifndef NEARDUP_TRACK_TRACK_STATEMENTS_H
#define NEARDUP_TRACK_TRACK_STATEMENTS_H

#include "track/track_entry.h"

#define TRACK_MOST_PARAMETERS 4

/* Fills in the types; returns how many there are. */
extern int TrackStatementParameters(const TrackTable *table, TrackStatement statement, Oid *types);

/* palloc'd; all names but those of pg_catalog are qualified. */
extern char *TrackStatementText(const TrackTable *table, TrackStatement statement);

/* The query of pairs for TRACK_SPLIT and TRACK_REPAIR, of the members for which `chosen` holds. */
extern char *TrackPairsQuery(const TrackTable *table, const char *chosen);

#endif
