/*
 * workers.h
 *		Parallel workers of a join.
 */
#ifndef NEARDUP_JOIN_WORKERS_H
#define NEARDUP_JOIN_WORKERS_H

#include "storage/dsm.h"
#include "storage/shm_toc.h"

#include "kernel/engine.h"
#include "join/process.h"
#include "join/workers/pair_rule.h"

typedef struct JoinWorkers JoinWorkers;

/* Sums over the workers of a join. */
typedef struct WorkerFigures
{
	int probing_workers; /* those that looked for pairs */
	JoinCounters counters;
	Size bytes; /* of shared memory, and of their own peaks */
} WorkerFigures;

/* The most workers that may be started; 0 within a parallel plan. */
extern int JoinWorkersMost(void);

/* For tests: workers even where they do not pay. */
extern bool JoinWorkersAreForced(void);

/*
 * Starts workers, idle until engaged, with an arena and a message queue of so many bytes each. The
 * process is in parallel mode until the end. NULL without workers or shared memory.
 */
extern JoinWorkers *JoinWorkersBegin(JoinProcess *process, int workers, Size arena_bytes,
									 Size queue_bytes);

/* Whether the arena has so many bytes. */
extern bool JoinWorkersHaveRoom(const JoinWorkers *workers, Size bytes);

/* Empties the arena; from now on the host's steps are shared. */
extern void JoinWorkersEngage(JoinWorkers *workers);

/* The host works alone again; the arena remains until the next engagement. */
extern void JoinWorkersDismiss(JoinWorkers *workers);

/* Takes pairs of workers, or NULL and the number of pairs that were only counted. */
typedef void (*TakeFoundPairs)(void *context, const FoundPair *pairs, uint64 count);

/* Sets the rule, whose array is in the arena, and the taker of the next steps' pairs. */
extern void JoinWorkersExpectPairs(JoinWorkers *workers, const PairRule *rule, TakeFoundPairs take,
								   void *context);

/* Ends the workers, frees the arena, and adds to the figures. */
extern void JoinWorkersEnd(JoinWorkers *workers, WorkerFigures *figures);

extern PGDLLEXPORT void JoinWorkerMain(dsm_segment *segment, shm_toc *toc);

#endif
