/*
 * leader.h
 *		The leader's side of a join with parallel workers.
 *
 * Order of calls: JoinWorkersBegin; for each part of the join JoinWorkersEngage, the kernel's steps
 * and JoinWorkersDismiss; JoinWorkersEnd. After an error, the end of the transaction does all that
 * JoinWorkersEnd would do.
 */
#ifndef NEARDUP_JOIN_LEADER_H
#define NEARDUP_JOIN_LEADER_H

#include "join/process.h"
#include "join/workers/pair_rule.h"
#include "join/workers/worker_figures.h"

typedef struct JoinWorkers JoinWorkers;

/* Returns how many workers may be started at most; 0 within a parallel plan. */
extern int JoinWorkersMost(void);

/* Whether the settings ask for workers even where they do not pay, as tests do. */
extern bool JoinWorkersAreForced(void);

/*
 * Starts workers, which are idle until engaged. The arena has `arena_bytes`, the message queue of
 * each worker `queue_bytes`. The process is in parallel mode until JoinWorkersEnd. Returns NULL if
 * no worker can be started or there is too little shared memory. Allocates in the current memory
 * context.
 */
extern JoinWorkers *JoinWorkersBegin(JoinProcess *process, int workers, Size arena_bytes,
									 Size queue_bytes);

/* Whether the arena has at least that many bytes. */
extern bool JoinWorkersHaveRoom(const JoinWorkers *workers, Size bytes);

/* Empties the arena. From now on the process's host shares its steps with the workers. */
extern void JoinWorkersEngage(JoinWorkers *workers);

/* Has the host work alone again. What is in the arena remains until the next engagement. */
extern void JoinWorkersDismiss(JoinWorkers *workers);

/* Takes `count` pairs of a worker. `pairs` is NULL if they were only counted. */
typedef void (*TakeFoundPairs)(void *context, const FoundPair *pairs, uint64 count);

/*
 * Sets the rule by which workers make pairs in the next steps, and who takes the pairs in the
 * leader. The rule is copied; its key_order must be in the arena.
 */
extern void JoinWorkersExpectPairs(JoinWorkers *workers, const PairRule *rule, TakeFoundPairs take,
								   void *context);

/* Ends the workers, frees the arena and `workers`, and adds what was done to the figures. */
extern void JoinWorkersEnd(JoinWorkers *workers, WorkerFigures *figures);

#endif
