/*
 * meetings.h
 *		How much a join will have to do, as far as its lists tell.
 */
#ifndef NEARDUP_JOIN_MEETINGS_H
#define NEARDUP_JOIN_MEETINGS_H

#include "join/kernel/join.h"

typedef struct ListWork
{
	double postings; /* of the probing prefixes, in lists of several */
	double meetings; /* of two records in a list, were none too small for another */
} ListWork;

/*
 * What a join of canonical records, of which there are some, has to do, about; exactly, where
 * there are no more of them than are sampled. Not for JOIN_BUCKETS.
 */
extern ListWork JoinListWork(const JoinRecords *records, Predicate predicate,
							 JoinAlgorithm algorithm);

#endif
