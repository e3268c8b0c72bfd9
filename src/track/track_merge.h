/*
 * track_merge.h
 *		Merging the clusters of groups, and adding rows to them.
 */
#ifndef NEARDUP_TRACK_TRACK_MERGE_H
#define NEARDUP_TRACK_TRACK_MERGE_H

#include "track/track_groups.h"
#include "track/track_table.h"

/*
 * Merges the clusters of each group; members above newest have no say in which one stays. Returns
 * by root the cluster that does, TRACK_NO_CLUSTER if there is none.
 */
extern int64 *TrackMerge(TrackTable *table, TrackGroups *groups, int64 newest);

/* Records a new row in its group's cluster, which it begins if there is none. */
extern void TrackInsert(TrackTable *table, TrackGroups *groups, int64 *clusters, uint32 row,
						Datum key, const Tokenset *set);

#endif
