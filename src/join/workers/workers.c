/*
 * workers.c
 *		Parallel workers of a join.
 *
 * Leader and workers share the kernel's arena, a segment of dynamic shared memory with the records
 * and the index. The leader publishes a step (engine.h) and its own structures, whose pointers
 * each worker adopts. All take units from a counter. A worker that is there when a step begins has
 * a first unit of its own; others join in later.
 *
 * Each worker sends its pairs by a message queue, or only counts them. The leader empties the
 * queues when the kernel checks for interrupts.
 *
 * The arena is made in a subtransaction: with too little shared memory, such as a small /dev/shm
 * of a container, the join goes on without workers. The parallel context cannot be, since parallel
 * mode allows no subtransactions, so room for it is looked for with the arena.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "pgstat.h"
#include "port/atomics.h"
#include "storage/condition_variable.h"
#include "storage/dsm.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "storage/shm_mq.h"
#include "storage/shmem.h"
#include "storage/spin.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

#include "join/process.h"
#include "kernel/engines.h"
#include "join/workers/workers.h"
#include "join/progress/progress.h"

#define KEY_SHARED UINT64CONST(0x6e64000000000001)
#define KEY_QUEUES UINT64CONST(0x6e64000000000002)

#define PAIRS_PER_MESSAGE 512

/*
 * Shared memory of a parallel context beside the queues: the state of the session, and its shared
 * area of types with the first segment that it grows by.
 */
#define CONTEXT_BYTES ((Size) 2 * 1024 * 1024)

/* Tokens or records that take longer than waking a worker. */
#define LEAST_UNIT 4096

typedef struct SharedJoin
{
	dsm_handle arena;
	const char *leader_base; /* of the arena */
	Size arena_size;
	Size queue_bytes;
	PGPROC *leader;

	/* The step; written by the leader between steps. */
	int step;
	uint32 units;
	JoinRecords records;
	JoinEngine engine;
	PairRule rule;
	pg_atomic_uint32 next_unit;

	/* Of workers; the leader adds them to its own. */
	pg_atomic_uint64 done;
	pg_atomic_uint64 counted_pairs;

	slock_t mutex; /* protects what follows */
	bool over;
	bool is_running;
	uint32 step_number;
	uint32 first_units; /* workers with a first unit of the step */
	uint32 attached;
	uint32 busy; /* workers in the step */
	WorkerFigures figures;

	ConditionVariable step_began; /* or the join is over */
} SharedJoin;

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
 * NULL if there is no room for it and as many bytes beside it, which are not kept; belongs to the
 * current resource owner.
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
		/* To outlive the subtransaction. */
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

static shm_mq *
queue_of(const SharedJoin *shared, char *queues, int worker)
{
	return (shm_mq *) (queues + shared->queue_bytes * worker);
}

static void
init_shared(JoinWorkers *workers, int count, Size queue_bytes)
{
	shm_toc *toc = workers->parallel->toc;
	SharedJoin *shared = shm_toc_allocate(toc, sizeof(SharedJoin));
	char *queues = shm_toc_allocate(toc, queue_bytes * count);

	memset(shared, 0, sizeof(*shared));
	shared->arena = dsm_segment_handle(workers->arena);
	shared->leader_base = dsm_segment_address(workers->arena);
	shared->arena_size = dsm_segment_map_length(workers->arena);
	shared->queue_bytes = queue_bytes;
	shared->leader = MyProc;
	pg_atomic_init_u32(&shared->next_unit, 0);
	pg_atomic_init_u64(&shared->done, 0);
	pg_atomic_init_u64(&shared->counted_pairs, 0);
	SpinLockInit(&shared->mutex);
	ConditionVariableInit(&shared->step_began);
	workers->shared = shared;
	workers->queues = palloc(sizeof(shm_mq_handle *) * count);
	for (int i = 0; i < count; i++)
	{
		shm_mq *queue = shm_mq_create(queue_of(shared, queues, i), queue_bytes);

		shm_mq_set_receiver(queue, MyProc);
		workers->queues[i] = shm_mq_attach(queue, workers->parallel->seg, NULL);
	}
	shm_toc_insert(toc, KEY_SHARED, shared);
	shm_toc_insert(toc, KEY_QUEUES, queues);
}

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

/* So that each worker takes part in each step. */
static void
wait_for_attachment(JoinWorkers *workers)
{
	uint32 attached = 0;

	WaitForParallelWorkersToAttach(workers->parallel);
	while (attached < (uint32) workers->parallel->nworkers_launched)
	{
		SpinLockAcquire(&workers->shared->mutex);
		attached = workers->shared->attached;
		SpinLockRelease(&workers->shared->mutex);
		if (attached < (uint32) workers->parallel->nworkers_launched)
			wait_for_workers();
	}
}

static uint32
next_unit(SharedJoin *shared)
{
	return pg_atomic_fetch_add_u32(&shared->next_unit, 1);
}

/* False if there was no message. */
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

static void
receive_counts(JoinWorkers *workers)
{
	SharedJoin *shared = workers->shared;

	workers->host->done += pg_atomic_exchange_u64(&shared->done, 0);
	if (workers->take != NULL)
		workers->take(workers->take_context, NULL,
					  pg_atomic_exchange_u64(&shared->counted_pairs, 0));
}

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

/* With each check for interrupts. */
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

static void
begin_step(JoinWorkers *workers, const JoinParticipant *self, int step, uint32 units)
{
	SharedJoin *shared = workers->shared;

	shared->step = step;
	shared->units = units;
	shared->records = *self->engine->records;
	shared->engine = *self->engine;
	shared->rule = workers->rule;

	SpinLockAcquire(&shared->mutex);
	shared->first_units = shared->busy = shared->attached;
	pg_atomic_write_u32(&shared->next_unit, shared->first_units + 1);
	shared->is_running = true;
	shared->step_number++;
	SpinLockRelease(&shared->mutex);
	ConditionVariableBroadcast(&shared->step_began);
}

/* If all workers are done, no other can join the step. */
static bool
end_step(SharedJoin *shared)
{
	bool ended;

	SpinLockAcquire(&shared->mutex);
	ended = shared->busy == 0;
	if (ended)
		shared->is_running = false;
	SpinLockRelease(&shared->mutex);
	return ended;
}

static void
share_step(void *context, JoinParticipant *self, int step, uint32 units)
{
	JoinWorkers *workers = context;

	begin_step(workers, self, step, units);
	for (uint32 unit = 0; unit < units; unit = next_unit(workers->shared))
		JoinStepUnit(self, step, unit, units);
	JoinStepEnd(self);
	while (!end_step(workers->shared))
	{
		JoinProgressCheck();
		if (!receive_all(workers))
			wait_for_workers();
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

static void
add_figures(WorkerFigures *sum, const WorkerFigures *figures)
{
	sum->probing_workers += figures->probing_workers;
	JoinCountersAdd(&sum->counters, &figures->counters);
	sum->bytes += figures->bytes;
}

void
JoinWorkersEnd(JoinWorkers *workers, WorkerFigures *figures)
{
	SharedJoin *shared = workers->shared;

	SpinLockAcquire(&shared->mutex);
	shared->over = true;
	SpinLockRelease(&shared->mutex);
	ConditionVariableBroadcast(&shared->step_began);
	WaitForParallelWorkersToFinish(workers->parallel);
	add_figures(figures, &shared->figures);
	figures->bytes += workers->host->arena.size + shared->queue_bytes * workers->queue_count;
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

typedef struct Worker
{
	SharedJoin *shared;
	JoinProcess process;
	shm_mq_handle *queue;
	uint32 number;
	uint32 step_number;
	bool has_first_unit;
	WorkerFigures figures;

	JoinRecords records;
	JoinEngine engine;
	PairRule rule;
	FoundPair pairs[PAIRS_PER_MESSAGE];
	uint32 pair_count;
	uint64 counted_pairs;
} Worker;

static void
send_pairs(Worker *worker)
{
	if (worker->pair_count == 0)
		return;
	if (shm_mq_send(worker->queue, worker->pair_count * sizeof(FoundPair), worker->pairs, false,
					true) != SHM_MQ_SUCCESS)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("could not send pairs to the leader of a similarity join")));
	worker->pair_count = 0;
}

static void
send_pair(void *context, const JoinRecord *x, const JoinRecord *y, uint64 overlap)
{
	Worker *worker = context;

	if (!PairRuleHolds(&worker->rule, x, y))
		return;
	worker->pairs[worker->pair_count++] = PairRuleApply(&worker->rule, x, y, overlap);
	if (worker->pair_count == PAIRS_PER_MESSAGE)
		send_pairs(worker);
}

static void
count_pair(void *context, const JoinRecord *x, const JoinRecord *y, uint64 overlap)
{
	Worker *worker = context;

	worker->counted_pairs += PairRuleHolds(&worker->rule, x, y);
}

static void
report_counts(Worker *worker)
{
	SharedJoin *shared = worker->shared;
	JoinHost *host = &worker->process.host;

	pg_atomic_fetch_add_u64(&shared->done, host->done);
	pg_atomic_fetch_add_u64(&shared->counted_pairs, worker->counted_pairs);
	host->done = worker->counted_pairs = 0;
}

/* False if the join is over. */
static bool
attach_worker(Worker *worker)
{
	SharedJoin *shared = worker->shared;
	bool over;

	SpinLockAcquire(&shared->mutex);
	over = shared->over;
	worker->number = shared->attached++;
	worker->step_number = shared->step_number;
	/* Join a running step late. */
	if (shared->is_running)
	{
		shared->busy++;
		worker->step_number--;
	}
	SpinLockRelease(&shared->mutex);
	SetLatch(&shared->leader->procLatch);
	return !over;
}

/* False when the join is over. */
static bool
await_step(Worker *worker)
{
	SharedJoin *shared = worker->shared;
	bool begun = false;
	bool over = false;

	for (;;)
	{
		SpinLockAcquire(&shared->mutex);
		over = shared->over;
		begun = shared->is_running && shared->step_number != worker->step_number;
		if (begun)
		{
			worker->step_number = shared->step_number;
			worker->has_first_unit = worker->number < shared->first_units;
		}
		SpinLockRelease(&shared->mutex);
		if (over || begun)
			break;
		ConditionVariableSleep(&shared->step_began, PG_WAIT_EXTENSION);
	}
	ConditionVariableCancelSleep();
	return !over;
}

static void
do_step(Worker *worker)
{
	SharedJoin *shared = worker->shared;
	JoinAdoption adoption = {.leader_base = shared->leader_base,
							 .base = worker->process.host.arena.base};
	JoinParticipant self = {.engine = &worker->engine,
							.emit = shared->rule.counts_only ? count_pair : send_pair,
							.emit_context = worker,
							.counters = &worker->figures.counters};
	uint32 unit = worker->has_first_unit ? worker->number + 1 : next_unit(shared);

	worker->rule = shared->rule;
	worker->rule.records = &worker->records;
	JoinAdopt(adoption, &worker->rule.key_order);
	worker->records = shared->records;
	JoinRecordsAdopt(&worker->records, &worker->process.host, shared->leader_base);
	worker->engine = shared->engine;
	JoinEngineAdopt(&worker->engine, &worker->records, shared->leader_base);
	for (; unit < shared->units; unit = next_unit(shared))
	{
		JoinStepUnit(&self, shared->step, unit, shared->units);
		report_counts(worker);
		if (shared->step == JOIN_FIND_PAIRS)
			worker->figures.probing_workers = 1;
	}
	JoinStepEnd(&self);
	JoinEngineForget(&worker->engine);
	send_pairs(worker);
	report_counts(worker);

	SpinLockAcquire(&shared->mutex);
	shared->busy--;
	SpinLockRelease(&shared->mutex);
	SetLatch(&shared->leader->procLatch);
}

void
JoinWorkerMain(dsm_segment *segment, shm_toc *toc)
{
	Worker *worker = palloc0(sizeof(Worker));
	SharedJoin *shared = shm_toc_lookup(toc, KEY_SHARED, false);
	shm_mq *queue = queue_of(shared, shm_toc_lookup(toc, KEY_QUEUES, false), ParallelWorkerNumber);
	dsm_segment *arena = dsm_attach(shared->arena);

	/* The join is over. */
	if (arena == NULL)
		return;
	worker->shared = shared;
	shm_mq_set_sender(queue, MyProc);
	worker->queue = shm_mq_attach(queue, segment, NULL);
	JoinProcessInit(&worker->process, CurrentMemoryContext);
	worker->process.host.arena =
		(JoinArena){.base = dsm_segment_address(arena), .size = shared->arena_size};

	if (attach_worker(worker))
	{
		while (await_step(worker))
			do_step(worker);
	}
	worker->figures.bytes = worker->process.host.peak_bytes;
	SpinLockAcquire(&shared->mutex);
	add_figures(&shared->figures, &worker->figures);
	SpinLockRelease(&shared->mutex);
	dsm_detach(arena);
}
