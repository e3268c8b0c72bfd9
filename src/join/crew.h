/*
 * crew.h
 *		Parallel workers who help with the steps of a join.
 */
#ifndef NEARDUP_JOIN_CREW_H
#define NEARDUP_JOIN_CREW_H

#include "storage/dsm.h"
#include "storage/shm_toc.h"

#include "join/kernel/step.h"
#include "join/pair_rule.h"

typedef struct JoinCrew JoinCrew;

/* What the workers of a join came to, all together. */
typedef struct CrewFigures
{
	int probing_workers; /* those who joined records */
	JoinCounters counters;
	Size bytes; /* of shared memory, and of their own at most */
} CrewFigures;

/* How many workers may be asked for here and now: none within a parallel plan. */
extern int JoinCrewMostWorkers(void);

/* Whether workers are to be used even where they do not pay, for tests. */
extern bool JoinCrewIsForced(void);

/*
 * Starts workers, and an arena of so many bytes for the host; a message queue
 * to each worker takes so many. NULL where there are none to be had, or no
 * shared memory. Until the end, the process is in parallel mode. They do nothing before
 * they are engaged.
 */
extern JoinCrew *JoinCrewBegin(JoinHost *host, int workers, Size arena_bytes, Size queue_bytes);

/* Whether so many bytes fit into the arena. */
extern bool JoinCrewHasRoom(const JoinCrew *crew, Size bytes);

/* From now on the host's steps are shared, and the arena, which is empty again, has what they need. */
extern void JoinCrewEngage(JoinCrew *crew);

/*
 * From now on the host does all by itself; what is in the arena remains until they are engaged
 * again.
 */
extern void JoinCrewDismiss(JoinCrew *crew);

/* Receives pairs of workers; NULL instead of those that are only counted. */
typedef void (*TakeFoundPairs)(void *context, const FoundPair *pairs, uint64 count);

/*
 * What workers make of the records that they find in the next steps, and who receives
 * it. The rule's array must be in the arena.
 */
extern void JoinCrewExpectPairs(JoinCrew *crew, const PairRule *rule, TakeFoundPairs take,
								void *context);

/* Takes over the pairs that workers have sent; to be called every few milliseconds. */
extern void JoinCrewReceive(JoinCrew *crew);

/* Ends workers and arena, and adds to the figures. */
extern void JoinCrewEnd(JoinCrew *crew, CrewFigures *figures);

extern PGDLLEXPORT void JoinCrewMain(dsm_segment *segment, shm_toc *toc);

#endif
