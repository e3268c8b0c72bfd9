/*
 * track_table.h
 *		Opening a tracked table, and running statements on it.
 *
 * Statements run with the rights of the current user, who should be the table's owner, in the
 * caller's SPI connection and with the search path pg_catalog, pg_temp.
 */
#ifndef NEARDUP_TRACK_TRACK_TABLE_H
#define NEARDUP_TRACK_TRACK_TABLE_H

#include "utils/rel.h"

#include "track/track_entry.h"

/*
 * undefined_object if the table is not tracked, object_not_in_prerequisite_state if it can no
 * longer be. Valid until the transaction ends; what has changed since, is_valid tells.
 */
extern TrackTable *TrackTableOpen(Relation relation, Oid extension_schema);

/*
 * A SELECT, in a snapshot of this moment; rows, until the function returns false. It is called in the
 * current memory context.
 */
typedef bool (*TrackRow)(void *context, TupleTableSlot *slot);
extern void TrackSelect(TrackTable *table, TrackStatement statement, Datum *values, TrackRow row,
						void *context);

/*
 * Any statement; rows are in SPI_tuptable. Sees what is committed now at any isolation level, and
 * fails to serialize where it changes what the transaction's snapshot does not show.
 */
extern void TrackWrite(TrackTable *table, TrackStatement statement, Datum *values);

/* Draws the next number. */
extern int64 TrackNumber(TrackTable *table);

/* Whether the frequent tokens should be chosen anew: of so few rows they were chosen. */
extern bool TrackTableHasGrown(const TrackTable *table);

/* Chooses the frequent tokens anew. The table is locked exclusively. */
extern void TrackTableFreeze(TrackTable *table);

#endif
