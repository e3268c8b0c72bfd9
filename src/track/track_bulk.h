/*
 * track_bulk.h
 *		Recording many rows that a statement has written, by one join.
 */
#ifndef NEARDUP_TRACK_TRACK_BULK_H
#define NEARDUP_TRACK_TRACK_BULK_H

#include "track/track_keys.h"

/*
 * Records the rows of these keys as the table has them now, and brings the clusters up to date. The
 * caller has locked the whole table, and the entry is valid.
 */
extern void TrackBulk(TrackTable *table, const TrackKeys *keys);

#endif
