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
 * From the trigger's transition tables; of an update, where the key or a column of the set has
 * changed. In the current memory context, at most 1 GB; program_limit_exceeded above.
 */
extern TrackKeys TrackKeysWritten(const TrackTable *table, const TriggerData *trigger);

#endif
