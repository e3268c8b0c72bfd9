/*
 * shared_join.h
 *		The state that the leader and the workers of a join share.
 *
 * It lies in the shared memory of the parallel context, followed by a message queue from each
 * worker. The arena (kernel/host.h) is another segment, which each process maps at an address of
 * its own.
 *
 * The leader publishes a step (kernel/engine.h): its number of units, and copies of the leader's
 * structures, whose pointers into the arena each worker adopts. All processes take units from a
 * counter until none is left. A worker that is attached when a step begins has a first unit of its
 * own; one that attaches later joins the running step and takes its units from the counter alone.
 * The step ends when no worker is busy with it. Then the leader may publish the next one.
 */
#ifndef NEARDUP_JOIN_SHARED_JOIN_H
#define NEARDUP_JOIN_SHARED_JOIN_H

#include "port/atomics.h"
#include "storage/condition_variable.h"
#include "storage/dsm.h"
#include "storage/shm_mq.h"
#include "storage/spin.h"

#include "kernel/engine.h"
#include "join/workers/pair_rule.h"
#include "join/workers/worker_figures.h"

/* Keys in the table of contents of the parallel context. */
#define SHARED_JOIN_KEY UINT64CONST(0x6e64000000000001)
#define SHARED_QUEUES_KEY UINT64CONST(0x6e64000000000002)

typedef struct SharedJoin
{
	/* Set before workers start. */
	dsm_handle arena;
	const char *leader_base; /* where the leader has mapped the arena */
	Size arena_size;
	Size queue_bytes;
	PGPROC *leader;

	/* The step. The leader writes these between steps, when no worker reads them. */
	int step;
	uint32 units;
	JoinRecords records;
	JoinEngine engine;
	PairRule rule;

	pg_atomic_uint32 next_unit;
	pg_atomic_uint32 is_stopped; /* no more pairs of the step are wanted */

	/* What workers have done since the leader last took these to its own. */
	pg_atomic_uint64 done;
	pg_atomic_uint64 counted_pairs;

	slock_t mutex; /* protects what follows */
	bool over;
	bool is_running;
	uint32 step_number;
	uint32 first_units; /* workers that have a first unit of the step */
	uint32 attached;	/* workers so far */
	uint32 busy;		/* workers in the step */
	WorkerFigures figures;

	ConditionVariable step_began; /* signalled when a step begins or the join is over */
} SharedJoin;

/* A worker's place among the workers of the join. */
typedef struct WorkerPlace
{
	uint32 number;		/* number of the worker, from 0, in the order in which they attach */
	uint32 step_number; /* number of the last step that it has seen */
	bool has_first_unit;
} WorkerPlace;

/* Initializes the state in the leader, for an arena and queues of `queue_bytes` each. */
extern void SharedJoinInit(SharedJoin *shared, dsm_segment *arena, Size queue_bytes);

/* Returns the queue of a worker, given where the first queue is. */
static inline shm_mq *
SharedJoinQueue(const SharedJoin *shared, char *queues, int worker)
{
	return (shm_mq *) (queues + shared->queue_bytes * worker);
}

/* Takes the next unit of the step from the counter; there is none if it is not below `units`. */
static inline uint32
SharedJoinNextUnit(SharedJoin *shared)
{
	return pg_atomic_fetch_add_u32(&shared->next_unit, 1);
}

/*
 * What the leader calls. SharedJoinBeginStep publishes a step of an engine and wakes the workers;
 * unit 0 is the leader's. SharedJoinEndStep returns false while a worker is busy; once it has
 * returned true, no worker can join the step. SharedJoinEnd sends all workers home.
 */
extern void SharedJoinBeginStep(SharedJoin *shared, const JoinEngine *engine, const PairRule *rule,
								int step, uint32 units);
extern bool SharedJoinEndStep(SharedJoin *shared);
extern uint32 SharedJoinAttached(SharedJoin *shared);
extern void SharedJoinEnd(SharedJoin *shared);

/*
 * What a worker calls: SharedJoinAttach once, then SharedJoinAwaitStep and SharedJoinLeaveStep in
 * turn, until one of the first two returns false because the join is over; SharedJoinAddFigures at
 * its end. Attaching and leaving a step set the leader's latch.
 */
extern bool SharedJoinAttach(SharedJoin *shared, WorkerPlace *place);
extern bool SharedJoinAwaitStep(SharedJoin *shared, WorkerPlace *place);
extern void SharedJoinLeaveStep(SharedJoin *shared);
extern void SharedJoinAddFigures(SharedJoin *shared, const WorkerFigures *figures);

#endif
