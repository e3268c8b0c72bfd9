/*
 * whole_join.h
 *		A whole join by the kernel, of which only the number of pairs is kept.
 */
#ifndef NEARDUP_WHOLE_JOIN_H
#define NEARDUP_WHOLE_JOIN_H

#include "kernel/engines.h"

/* All of a join but its pairs, and the checks for interrupts in each of its phases. */
typedef struct Course
{
	JoinCounters counters;
	uint64 pairs;
	uint64 append_checks;
	uint64 canonicalize_checks;
	uint64 index_checks;
	uint64 probe_checks;
	bool divided; /* long lists, among those who join */
} Course;

extern Course run_course(JoinHost host, const int64 *const *tokens, const uint32 *sizes,
						 uint32 count, Predicate predicate, JoinAlgorithm algorithm);

/* Takes a pair by counting it in the uint64 that is its context. */
extern void count_pair(void *context, const JoinRecord *x, const JoinRecord *y, uint64 overlap);

#endif
