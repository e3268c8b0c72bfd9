/*
 * track_rows.h
 *		Recording a few rows that a statement has written, each looked up by itself.
 */
#ifndef NEARDUP_TRACK_TRACK_ROWS_H
#define NEARDUP_TRACK_TRACK_ROWS_H

#include "track/track_keys.h"

/*
 * Records the rows of these keys as the table has them now, and brings the clusters up to date.
 * Locks the table, tokens and clusters, or the whole table if these are many, until the transaction
 * ends.
 */
extern void TrackRows(Relation relation, TrackTable *table, Oid extension_schema,
					  const TrackKeys *keys);

#endif
