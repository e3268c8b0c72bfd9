/*
 * crew_plan.h
 *		How many workers a join is worth.
 */
#ifndef NEARDUP_JOIN_CREW_PLAN_H
#define NEARDUP_JOIN_CREW_PLAN_H

#include "join/kernel/load.h"

/* Nanoseconds. */
#define JOIN_CREW_TIME_TO_START 1e7

/*
 * Of so many workers, those for whom indexing and joining canonical records takes long enough:
 * what they save must exceed what it costs to start them, which is nothing when they are there, and
 * to copy the records to where they see them. Where it does not, what they would have saved is taken
 * from the time to start them: among many parts, of which none is worth it by itself, they come when
 * that is used up. The load has counted the records.
 */
extern int JoinCrewWorth(const JoinRecords *records, const JoinLoad *load, Predicate predicate,
						 double *time_to_start, int most);

#endif
