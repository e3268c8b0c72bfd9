/*
 * track_bulk.h
 *		Recording many rows that a statement has written, by one join.
 */
#ifndef NEARDUP_TRACK_TRACK_BULK_H
#define NEARDUP_TRACK_TRACK_BULK_H

#include "track/track_keys.h"

/* The whole table is locked, and what is known of it stands. */
extern void TrackBulk(TrackTable *table, const TrackKeys *keys);

#endif
