/*
 * track_lookup.h
 *		What the new sets of a few rows are similar to.
 */
#ifndef NEARDUP_TRACK_TRACK_LOOKUP_H
#define NEARDUP_TRACK_TRACK_LOOKUP_H

#include "track/track_groups.h"
#include "track/track_row.h"
#include "track/track_table.h"

typedef struct TrackLookup
{
	TrackTable *table;
	const TrackedRow *rows;
	int count;
	int64 newest;			/* of members that stood before the statement */
	TrackGroups *groups;	/* a node for each row that is not recorded */
	ItemPointerData *found; /* versions of members that the groups are made of */
	Size found_count;
	Size capacity;
} TrackLookup;

/* As newest, before the statement's rows are recorded: what is recorded of them counts for nothing. */
#define TRACK_UNRECORDED PG_INT64_MAX

extern TrackLookup TrackLookupRows(TrackTable *table, const TrackedRow *rows, int count,
								   int64 newest);
extern void TrackLookupFree(TrackLookup *lookup);

/* Whether all that was found, and all rows that are recorded, still stand as they did. */
extern bool TrackLookupStands(const TrackLookup *lookup);

/* The group of a row: of its cluster, if it is recorded. */
extern uint32 TrackLookupNode(TrackLookup *lookup, int row);

#endif
