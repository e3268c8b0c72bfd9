/*
 * track_lookup.h
 *		Finding what the new sets of a few rows are similar to.
 */
#ifndef NEARDUP_TRACK_TRACK_LOOKUP_H
#define NEARDUP_TRACK_TRACK_LOOKUP_H

#include "track/track_groups.h"
#include "track/track_row.h"
#include "track/track_table.h"

typedef struct TrackLookup
{
	TrackTable *table;
	const TrackedRow *rows; /* the statement's; the caller's */
	int count;
	int64 newest;			/* members with greater numbers are new in the statement */
	TrackGroups *groups;	/* a node for each row, used by those that are not recorded */
	ItemPointerData *found; /* row versions in DOC_neardup that the groups are made of */
	Size found_count;
	Size capacity;
} TrackLookup;

/*
 * For `newest` before anything of the statement is recorded. What is still recorded of its own rows
 * is then passed over, since it is to be replaced.
 */
#define TRACK_UNRECORDED PG_INT64_MAX

/*
 * Looks up what each row's current set is similar to, among the recorded rows and among the rows
 * themselves. Memory is in the current context.
 */
extern TrackLookup TrackLookupRows(TrackTable *table, const TrackedRow *rows, int count,
								   int64 newest);
extern void TrackLookupFree(TrackLookup *lookup);

/*
 * Whether the row versions that were found, and those of the statement's recorded rows, are still
 * the current ones. In a transaction with one snapshot, raises t_r_serialization_failure if the
 * snapshot does not show them.
 */
extern bool TrackLookupStands(const TrackLookup *lookup);

#endif
