/*
 * meetings.h
 *		How much a join will have to do, as far as its lists tell.
 */
#ifndef NEARDUP_JOIN_MEETINGS_H
#define NEARDUP_JOIN_MEETINGS_H

#include "join/kernel/join.h"

typedef struct ListWork
{
	JoinAlgorithm algorithm; /* that it comes to (engine.h) */
	double postings;		 /* of what is probed and indexed, in lists of several */
	double meetings;		 /* of two records in a list, were none too small for another */
	double compared;   /* tokens of pairs that are then compared, since signatures let them pass */
	double free_pairs; /* of records that need no common token, by their sizes */
} ListWork;

/*
 * What a join of canonical records, of which there are some, has to do, about; exactly, where
 * there are no more of them than are sampled. Not for JOIN_BUCKETS.
 */
extern ListWork JoinListWork(const JoinRecords *records, Predicate predicate,
							 JoinAlgorithm algorithm);

#endif
