/*
 * shared_join.c
 *		The state that the leader and the workers of a join share.
 *
 * A spinlock protects who takes part in which step; it is held for a few assignments at a time.
 * Workers sleep on a condition variable between steps, the leader on its latch.
 */
#include "postgres.h"

#include "pgstat.h"
#include "storage/latch.h"
#include "storage/proc.h"

#include "join/workers/shared_join.h"

void
SharedJoinInit(SharedJoin *shared, dsm_segment *arena, Size queue_bytes)
{
	memset(shared, 0, sizeof(*shared));
	shared->arena = dsm_segment_handle(arena);
	shared->leader_base = dsm_segment_address(arena);
	shared->arena_size = dsm_segment_map_length(arena);
	shared->queue_bytes = queue_bytes;
	shared->leader = MyProc;
	pg_atomic_init_u32(&shared->next_unit, 0);
	pg_atomic_init_u32(&shared->is_stopped, 0);
	pg_atomic_init_u64(&shared->done, 0);
	pg_atomic_init_u64(&shared->counted_pairs, 0);
	SpinLockInit(&shared->mutex);
	ConditionVariableInit(&shared->step_began);
}

/* The counter begins behind the first units, which the leader and the attached workers have. */
void
SharedJoinBeginStep(SharedJoin *shared, const JoinEngine *engine, const PairRule *rule, int step,
					uint32 units)
{
	shared->step = step;
	shared->units = units;
	shared->records = *engine->records;
	shared->engine = *engine;
	shared->rule = *rule;
	pg_atomic_write_u32(&shared->is_stopped, 0);

	SpinLockAcquire(&shared->mutex);
	shared->first_units = shared->busy = shared->attached;
	pg_atomic_write_u32(&shared->next_unit, shared->first_units + 1);
	shared->is_running = true;
	shared->step_number++;
	SpinLockRelease(&shared->mutex);
	ConditionVariableBroadcast(&shared->step_began);
}

bool
SharedJoinEndStep(SharedJoin *shared)
{
	bool ended;

	SpinLockAcquire(&shared->mutex);
	ended = shared->busy == 0;
	if (ended)
		shared->is_running = false;
	SpinLockRelease(&shared->mutex);
	return ended;
}

uint32
SharedJoinAttached(SharedJoin *shared)
{
	uint32 attached;

	SpinLockAcquire(&shared->mutex);
	attached = shared->attached;
	SpinLockRelease(&shared->mutex);
	return attached;
}

void
SharedJoinEnd(SharedJoin *shared)
{
	SpinLockAcquire(&shared->mutex);
	shared->over = true;
	SpinLockRelease(&shared->mutex);
	ConditionVariableBroadcast(&shared->step_began);
}

bool
SharedJoinAttach(SharedJoin *shared, WorkerPlace *place)
{
	bool over;

	SpinLockAcquire(&shared->mutex);
	over = shared->over;
	place->number = shared->attached++;
	place->step_number = shared->step_number;
	/* Count as busy in a running step at once, so that it cannot end before this worker joins. */
	if (shared->is_running)
	{
		shared->busy++;
		place->step_number--;
	}
	SpinLockRelease(&shared->mutex);
	SetLatch(&shared->leader->procLatch);
	return !over;
}

bool
SharedJoinAwaitStep(SharedJoin *shared, WorkerPlace *place)
{
	bool begun = false;
	bool over = false;

	for (;;)
	{
		SpinLockAcquire(&shared->mutex);
		over = shared->over;
		begun = shared->is_running && shared->step_number != place->step_number;
		if (begun)
		{
			place->step_number = shared->step_number;
			place->has_first_unit = place->number < shared->first_units;
		}
		SpinLockRelease(&shared->mutex);
		if (over || begun)
			break;
		ConditionVariableSleep(&shared->step_began, PG_WAIT_EXTENSION);
	}
	ConditionVariableCancelSleep();
	return !over;
}

void
SharedJoinLeaveStep(SharedJoin *shared)
{
	SpinLockAcquire(&shared->mutex);
	shared->busy--;
	SpinLockRelease(&shared->mutex);
	SetLatch(&shared->leader->procLatch);
}

void
SharedJoinAddFigures(SharedJoin *shared, const WorkerFigures *figures)
{
	SpinLockAcquire(&shared->mutex);
	WorkerFiguresAdd(&shared->figures, figures);
	SpinLockRelease(&shared->mutex);
}
