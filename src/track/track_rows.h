/*
 * track_rows.h
 *		Recording a few rows that a statement has written, each looked up by itself.
 */
#ifndef NEARDUP_TRACK_TRACK_ROWS_H
#define NEARDUP_TRACK_TRACK_ROWS_H

#include "track/track_keys.h"

/*
 * Records rows and finds their clusters. Locks the table, tokens and clusters, or the whole table
 * if these are many.
 */
extern void TrackRows(Relation relation, TrackTable *table, Oid extension_schema,
					  const TrackKeys *keys);

#endif
