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
 * Returns what is known of a tracked table, which is read if this backend does not know it or if
 * something has changed. The pointer can be used until the transaction ends; is_valid becomes false
 * if something changes meanwhile. Raises undefined_object if the table is not tracked, and
 * object_not_in_prerequisite_state if it can no longer be tracked.
 */
extern TrackTable *TrackTableOpen(Relation relation, Oid extension_schema);

/*
 * Runs a statement that is a SELECT, in a snapshot taken now, and calls a function for each row
 * until it returns false. The function is called in the caller's memory context.
 */
typedef bool (*TrackRow)(void *context, TupleTableSlot *slot);
extern void TrackSelect(TrackTable *table, TrackStatement statement, Datum *values, TrackRow row,
						void *context);

/*
 * Runs any statement; the rows that come back are in SPI_tuptable. It sees what is committed now,
 * whatever the isolation level. In a transaction with one snapshot it raises
 * t_r_serialization_failure if it changes a row that the snapshot does not show.
 */
extern void TrackWrite(TrackTable *table, TrackStatement statement, Datum *values);

/* Draws the next number of members and clusters. */
extern int64 TrackNumber(TrackTable *table);

/*
 * Returns whether the frequent tokens should be chosen again, since the table had far fewer rows
 * when they were chosen.
 */
extern bool TrackTableHasGrown(const TrackTable *table);

/*
 * Chooses the frequent tokens again, from a sample of the rows. The caller has locked the table
 * exclusively. Afterwards the entry is not valid.
 */
extern void TrackTableFreeze(TrackTable *table);

#endif
