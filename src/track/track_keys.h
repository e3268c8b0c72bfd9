/*
 * track_keys.h
 *		The keys that a statement has written.
 */
#ifndef NEARDUP_TRACK_TRACK_KEYS_H
#define NEARDUP_TRACK_TRACK_KEYS_H

#include "commands/trigger.h"

#include "track/track_table.h"

typedef struct TrackKeys
{
	Datum *keys; /* ascending, distinct */
	uint32 count;
} TrackKeys;

/*
 * Returns the keys in the trigger's transition tables. For an update, these are the keys before and
 * after, but only of rows in which the key, or a column that makes the set, has changed. The array
 * is in the current memory context and has at most 1 GB; program_limit_exceeded is raised above.
 */
extern TrackKeys TrackKeysWritten(const TrackTable *table, const TriggerData *trigger);

#endif
