/*
 * meetings.h
 *		How much a join will have to do, as far as its lists tell.
 */
#ifndef NEARDUP_JOIN_MEETINGS_H
#define NEARDUP_JOIN_MEETINGS_H

#include "join/kernel/join.h"

/*
 * About how often two canonical records meet in a list, were none too small for another; exactly
 * of no more records than the sample takes. Not for JOIN_BUCKETS.
 */
extern double JoinMeetings(const JoinRecords *records, Predicate predicate,
						   JoinAlgorithm algorithm);

#endif
