/*
 * track_merge.h
 *		Merging the clusters of groups, and adding rows to them.
 */
#ifndef NEARDUP_TRACK_TRACK_MERGE_H
#define NEARDUP_TRACK_TRACK_MERGE_H

#include "track/track_groups.h"
#include "track/track_table.h"

/*
 * Merges the clusters of each group: the one with the most rows keeps its number, or of several the
 * least; rows that are new in the statement, with numbers above `newest`, do not count. Returns an
 * array by root, palloc'd: the cluster of the group, TRACK_NO_CLUSTER if it has none.
 */
extern int64 *TrackMerge(TrackTable *table, TrackGroups *groups, int64 newest);

/*
 * Records a new row, node `row`, in the cluster of its group. If the group has none, the row begins
 * one, which is put into `clusters`.
 */
extern void TrackInsert(TrackTable *table, TrackGroups *groups, int64 *clusters, uint32 row,
						Datum key, const Tokenset *set);

#endif
