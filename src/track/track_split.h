/*
 * track_split.h
 *		Splitting clusters that have lost rows.
 */
#ifndef NEARDUP_TRACK_TRACK_SPLIT_H
#define NEARDUP_TRACK_TRACK_SPLIT_H

#include "track/track_row.h"
#include "track/track_table.h"

/* Of a few rows: `cluster` and `former` say what they were before the statement. */
extern void TrackSplitRows(TrackTable *table, const TrackedRow *rows, int count, int64 newest);

/* Computes clusters anew: a bigint[]. */
extern void TrackSplitClusters(TrackTable *table, Datum clusters, int64 newest);

#endif
