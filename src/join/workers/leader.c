/*
 * leader.c
 *		The leader's side of a join with parallel workers.
 *
 * Leader and workers share two segments of dynamic shared memory. The parallel context has the
 * state that they share (shared_join.h) and the workers' message queues. The kernel's arena has the
 * records and the index, which the leader writes and all read. The kernel hands each step to the
 * leader (share_step), which publishes it, does units itself, and waits for the workers.
 *
 * The leader empties the message queues whenever the kernel checks for interrupts, and while it
 * waits. A worker whose queue is full waits for this.
 *
 * The arena is created in a subtransaction, so that a join goes on without workers if there is too
 * little shared memory, such as a small /dev/shm in a container. The parallel context cannot be
 * created in one, since parallel mode allows no subtransactions. Its lack of memory would be the
 * user's error; therefore the arena is created only if there is room for the context beside it.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "pgstat.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "storage/shmem.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

#include "progress/progress.h"
#include "join/workers/leader.h"
#include "join/workers/shared_join.h"

/*
 * Shared memory that a parallel context takes besides the queues: the state of the session, and its
 * shared area of types with the first segment that it grows by.
 */
#define CONTEXT_BYTES ((Size) 2 * 1024 * 1024)

/* A unit of so many tokens or records takes longer than waking a worker. */
#define LEAST_UNIT 4096

struct JoinWorkers
{
	JoinProcess *process;
	JoinHost *host;
	dsm_segment *arena;
	ParallelContext *parallel;
	SharedJoin *shared;
	shm_mq_handle **queues;
	int queue_count;

	PairRule rule;
	TakeFoundPairs take;
	void *take_context;
};

int
JoinWorkersMost(void)
{
	if (IsInParallelMode() || !IsUnderPostmaster)
		return 0;
	return Min(max_parallel_workers_per_gather, max_parallel_workers);
}

bool
JoinWorkersAreForced(void)
{
#if PG_VERSION_NUM >= 160000
	return debug_parallel_query != DEBUG_PARALLEL_OFF;
#else
	return force_parallel_mode != FORCE_PARALLEL_OFF;
#endif
}

static bool
is_lack_of_memory(int sqlstate)
{
	return sqlstate == ERRCODE_OUT_OF_MEMORY || sqlstate == ERRCODE_DISK_FULL ||
		   ERRCODE_TO_CATEGORY(sqlstate) == ERRCODE_INSUFFICIENT_RESOURCES;
}

/*
 * Creates a segment that the current resource owner owns. Returns NULL unless `beside` bytes would
 * fit besides; these are tried, and not kept.
 */
static dsm_segment *
create_segment(Size size, Size beside)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	dsm_segment *volatile segment = NULL;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		dsm_segment *room = dsm_create(beside, DSM_CREATE_NULL_IF_MAXSEGMENTS);

		if (room != NULL)
		{
			segment = dsm_create(size, DSM_CREATE_NULL_IF_MAXSEGMENTS);
			dsm_detach(room);
		}
		/* Without an owner, it outlives the subtransaction. */
		if (segment != NULL)
			dsm_pin_mapping(segment);
		ReleaseCurrentSubTransaction();
		MemoryContextSwitchTo(context);
		CurrentResourceOwner = owner;
	}
	PG_CATCH();
	{
		ErrorData *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
		MemoryContextSwitchTo(context);
		CurrentResourceOwner = owner;
		if (!is_lack_of_memory(error->sqlerrcode))
			ReThrowError(error);
		FreeErrorData(error);
		segment = NULL;
	}
	PG_END_TRY();
	if (segment != NULL)
		dsm_unpin_mapping(segment);
	return segment;
}

/* Fills the shared memory of the parallel context, before workers start. */
static void
init_shared(JoinWorkers *workers, int count, Size queue_bytes)
{
	shm_toc *toc = workers->parallel->toc;
	SharedJoin *shared = shm_toc_allocate(toc, sizeof(SharedJoin));
	char *queues = shm_toc_allocate(toc, queue_bytes * count);

	SharedJoinInit(shared, workers->arena, queue_bytes);
	workers->shared = shared;
	workers->queues = palloc(sizeof(shm_mq_handle *) * count);
	for (int i = 0; i < count; i++)
	{
		shm_mq *queue = shm_mq_create(SharedJoinQueue(shared, queues, i), queue_bytes);

		shm_mq_set_receiver(queue, MyProc);
		workers->queues[i] = shm_mq_attach(queue, workers->parallel->seg, NULL);
	}
	shm_toc_insert(toc, SHARED_JOIN_KEY, shared);
	shm_toc_insert(toc, SHARED_QUEUES_KEY, queues);
}

/* Returns false if no worker could be started. */
static bool
launch_workers(JoinWorkers *workers, int count, Size queue_bytes)
{
	ParallelContext *parallel = CreateParallelContext("$libdir/neardup", "JoinWorkerMain", count);

	workers->parallel = parallel;
	shm_toc_estimate_chunk(&parallel->estimator, sizeof(SharedJoin));
	shm_toc_estimate_chunk(&parallel->estimator, mul_size(queue_bytes, count));
	shm_toc_estimate_keys(&parallel->estimator, 2);
	InitializeParallelDSM(parallel);
	if (parallel->seg == NULL || parallel->nworkers == 0)
		return false;
	init_shared(workers, count, queue_bytes);
	LaunchParallelWorkers(parallel);
	workers->queue_count = parallel->nworkers_launched;
	return parallel->nworkers_launched > 0;
}

static void
wait_for_workers(void)
{
	WaitLatch(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH, -1, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

/* Waits until all workers are attached, so that each takes part in each step. */
static void
wait_for_attachment(JoinWorkers *workers)
{
	uint32 launched = (uint32) workers->parallel->nworkers_launched;

	WaitForParallelWorkersToAttach(workers->parallel);
	while (SharedJoinAttached(workers->shared) < launched)
		wait_for_workers();
}

/* Takes the pairs of a message, without waiting. Returns false if the worker has sent none. */
static bool
receive_message(JoinWorkers *workers, int worker)
{
	Size size;
	void *message;

	if (shm_mq_receive(workers->queues[worker], &size, &message, true) != SHM_MQ_SUCCESS)
		return false;
	workers->take(workers->take_context, message, size / sizeof(FoundPair));
	return true;
}

/* Takes the workers' progress and counted pairs. */
static void
receive_counts(JoinWorkers *workers)
{
	SharedJoin *shared = workers->shared;

	workers->host->done += pg_atomic_exchange_u64(&shared->done, 0);
	if (workers->take != NULL)
		workers->take(workers->take_context, NULL,
					  pg_atomic_exchange_u64(&shared->counted_pairs, 0));
}

/* Takes all that workers have sent. Returns whether there was a message. */
static bool
receive_all(JoinWorkers *workers)
{
	bool any = false;

	receive_counts(workers);
	if (workers->take == NULL)
		return false;
	for (int i = 0; i < workers->queue_count; i++)
	{
		while (receive_message(workers, i))
		{
			CHECK_FOR_INTERRUPTS();
			any = true;
		}
	}
	return any;
}

/* Receives what the workers have sent; a JoinProcess calls it with each check for interrupts. */
static void
receive_pairs(void *context)
{
	receive_all(context);
}

void
JoinWorkersExpectPairs(JoinWorkers *workers, const PairRule *rule, TakeFoundPairs take,
					   void *context)
{
	workers->rule = *rule;
	workers->take = take;
	workers->take_context = context;
}

/* Tells the workers if the taker of the pairs has stopped the step. */
static void
share_stop(const JoinWorkers *workers)
{
	if (workers->host->is_stopped)
		pg_atomic_write_u32(&workers->shared->is_stopped, 1);
}

/* Does all units of a step with the workers; the share_step of the host. */
static void
share_step(void *context, JoinParticipant *self, int step, uint32 units)
{
	JoinWorkers *workers = context;

	SharedJoinBeginStep(workers->shared, self->engine, &workers->rule, step, units);
	for (uint32 unit = 0; unit < units && !workers->host->is_stopped;
		 unit = SharedJoinNextUnit(workers->shared))
		JoinStepUnit(self, step, unit, units);
	JoinStepEnd(self);
	share_stop(workers);
	while (!SharedJoinEndStep(workers->shared))
	{
		JoinProgressCheck();
		if (!receive_all(workers))
			wait_for_workers();
		share_stop(workers);
	}
	receive_all(workers);
}

JoinWorkers *
JoinWorkersBegin(JoinProcess *process, int count, Size arena_bytes, Size queue_bytes)
{
	JoinHost *host = &process->host;
	JoinWorkers *workers = palloc0(sizeof(JoinWorkers));

	queue_bytes = MAXALIGN(Max(queue_bytes, shm_mq_minimum_size));
	workers->process = process;
	workers->host = host;
	workers->arena =
		create_segment(arena_bytes, add_size(CONTEXT_BYTES, mul_size(queue_bytes, count)));
	if (workers->arena == NULL)
	{
		pfree(workers);
		return NULL;
	}
	EnterParallelMode();
	if (!launch_workers(workers, count, queue_bytes))
	{
		DestroyParallelContext(workers->parallel);
		ExitParallelMode();
		dsm_detach(workers->arena);
		pfree(workers);
		return NULL;
	}
	host->share_step = share_step;
	host->share_context = workers;
	process->receive = receive_pairs;
	process->receive_context = workers;
	host->least_unit = JoinWorkersAreForced() ? 1 : LEAST_UNIT;
	host->arena = (JoinArena){.base = dsm_segment_address(workers->arena),
							  .size = dsm_segment_map_length(workers->arena)};
	if (JoinWorkersAreForced())
		wait_for_attachment(workers);
	return workers;
}

bool
JoinWorkersHaveRoom(const JoinWorkers *workers, Size bytes)
{
	return bytes <= workers->host->arena.size;
}

void
JoinWorkersEngage(JoinWorkers *workers)
{
	JoinHost *host = workers->host;

	host->arena.used = 0;
	host->arena.is_short = false;
	host->participants = workers->parallel->nworkers_launched + 1;
}

void
JoinWorkersDismiss(JoinWorkers *workers)
{
	workers->host->participants = 1;
	workers->rule.key_order = NULL;
}

void
JoinWorkersEnd(JoinWorkers *workers, WorkerFigures *figures)
{
	SharedJoin *shared = workers->shared;

	SharedJoinEnd(shared);
	WaitForParallelWorkersToFinish(workers->parallel);
	WorkerFiguresAdd(figures, &shared->figures);
	figures->bytes += shared->queue_bytes * workers->queue_count;
	DestroyParallelContext(workers->parallel);
	ExitParallelMode();

	workers->host->share_step = NULL;
	workers->process->receive = NULL;
	workers->host->participants = 1;
	workers->rule.key_order = NULL;
	workers->host->arena = (JoinArena){0};
	dsm_detach(workers->arena);
	pfree(workers->queues);
	pfree(workers);
}
