/*
 * crew_plan.h
 *		How many workers a join is worth.
 */
#ifndef NEARDUP_JOIN_CREW_PLAN_H
#define NEARDUP_JOIN_CREW_PLAN_H

#include "join/kernel/load.h"

/*
 * Of so many workers, those for whom indexing and joining canonical records takes long enough:
 * what they save must exceed what it costs to start them, unless they are there already, and to copy
 * the records to where they see them. The load has counted the records.
 */
extern int JoinCrewWorth(const JoinRecords *records, const JoinLoad *load, Predicate predicate,
						 bool are_there, int most);

#endif
