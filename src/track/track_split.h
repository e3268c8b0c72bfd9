/*
 * track_split.h
 *		Splitting clusters that have lost rows.
 */
#ifndef NEARDUP_TRACK_TRACK_SPLIT_H
#define NEARDUP_TRACK_TRACK_SPLIT_H

#include "track/track_row.h"
#include "track/track_table.h"

/*
 * Splits those clusters of the rows that are no longer connected. The rows have gone or changed,
 * and this is recorded; `former` and `cluster` say what was recorded before. Members with numbers
 * above `newest` are new in the statement. The clusters are locked exclusively.
 */
extern void TrackSplitRows(TrackTable *table, const TrackedRow *rows, int count, int64 newest);

/* Joins the rows of clusters, a bigint[], again, and splits these into their connected parts. */
extern void TrackSplitClusters(TrackTable *table, Datum clusters, int64 newest);

#endif
