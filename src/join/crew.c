/*
 * crew.c
 *		A join with parallel workers.
 *
 * Leader and workers see one segment of dynamic shared memory, the kernel's
 * arena, in which the records and the index stand. The leader publishes a step
 * (step.h): its number of units, and its own structures, which point into the
 * arena at the leader's address. All take units from a counter until there are
 * none. Who is there when a step begins has a first unit of its own, so that
 * none is left out because it was slow to wake up; who comes later joins in.
 *
 * Pairs come back by a message queue from each worker, in batches, as rows of the
 * result but for their keys (pair_rule.h). The leader empties the queues whenever the
 * kernel looks for interrupts, and while it waits for the last worker. Where
 * pairs are only counted, workers count, and send nothing.
 *
 * The arena is made before the workers, in a subtransaction: where there is
 * too little shared memory, as in a container with a small /dev/shm, the join
 * goes on without workers.
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
#include "storage/spin.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

#include "join/call.h"
#include "join/crew.h"
#include "join/progress.h"

#define KEY_SHARED UINT64CONST(0x6e64000000000001)
#define KEY_QUEUES UINT64CONST(0x6e64000000000002)

#define PAIRS_PER_MESSAGE 512

/* Tokens or records whose share of a step takes longer than waking a worker. */
#define LEAST_UNIT 4096

typedef struct CrewShared
{
	dsm_handle arena;
	const char *leader_base; /* of the arena */
	Size arena_size;
	Size queue_bytes;
	PGPROC *leader;

	/* The step; written by the leader while none is running. */
	JoinStep step;
	uint32 units;
	JoinRecords records;
	JoinEngine engine;
	PairRule rule;
	pg_atomic_uint32 next_unit;

	/* By workers, that the leader has not yet taken over. */
	pg_atomic_uint64 done; /* of JoinHost */
	pg_atomic_uint64 counted_pairs;

	slock_t mutex; /* for what follows */
	bool over;
	bool is_running;	 /* a step */
	uint32 step_number;	 /* of the last one that began */
	uint32 dealt;		 /* workers who have a first unit of it */
	uint32 attached;	 /* workers */
	uint32 busy;		 /* workers, in the step */
	CrewFigures figures; /* of workers who are done */

	ConditionVariable step_began; /* or it is over */
} CrewShared;

struct JoinCrew
{
	JoinHost *host;
	dsm_segment *arena;
	ParallelContext *parallel;
	CrewShared *shared;
	shm_mq_handle **queues; /* by worker */
	int queue_count;

	PairRule rule;
	TakeFoundPairs take; /* NULL before pairs are expected */
	void *take_context;
};

int
JoinCrewMostWorkers(void)
{
	if (IsInParallelMode() || !IsUnderPostmaster)
		return 0;
	return Min(max_parallel_workers_per_gather, max_parallel_workers);
}

bool
JoinCrewIsForced(void)
{
#if PG_VERSION_NUM >= 160000
	return debug_parallel_query != DEBUG_PARALLEL_OFF;
#else
	return force_parallel_mode != FORCE_PARALLEL_OFF;
#endif
}

/* Errors that say that there is no room for shared memory. */
static bool
is_lack_of_memory(int sqlstate)
{
	return sqlstate == ERRCODE_OUT_OF_MEMORY || sqlstate == ERRCODE_DISK_FULL ||
		   ERRCODE_TO_CATEGORY(sqlstate) == ERRCODE_INSUFFICIENT_RESOURCES;
}

/* A segment that the present resource owner has; NULL if there is no room for it. */
static dsm_segment *
create_segment(Size size)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	dsm_segment *volatile segment = NULL;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		segment = dsm_create(size, DSM_CREATE_NULL_IF_MAXSEGMENTS);
		/* Beyond the subtransaction. */
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
queue_of(const CrewShared *shared, char *queues, int worker)
{
	return (shm_mq *) (queues + shared->queue_bytes * worker);
}

/* The shared state, and the receiving ends of the queues. */
static void
init_shared(JoinCrew *crew, int workers, Size queue_bytes)
{
	shm_toc *toc = crew->parallel->toc;
	CrewShared *shared = shm_toc_allocate(toc, sizeof(CrewShared));
	char *queues = shm_toc_allocate(toc, queue_bytes * workers);

	memset(shared, 0, sizeof(*shared));
	shared->arena = dsm_segment_handle(crew->arena);
	shared->leader_base = dsm_segment_address(crew->arena);
	shared->arena_size = dsm_segment_map_length(crew->arena);
	shared->queue_bytes = queue_bytes;
	shared->leader = MyProc;
	pg_atomic_init_u32(&shared->next_unit, 0);
	pg_atomic_init_u64(&shared->done, 0);
	pg_atomic_init_u64(&shared->counted_pairs, 0);
	SpinLockInit(&shared->mutex);
	ConditionVariableInit(&shared->step_began);
	crew->shared = shared;
	crew->queues = palloc(sizeof(shm_mq_handle *) * workers);
	for (int i = 0; i < workers; i++)
	{
		shm_mq *queue = shm_mq_create(queue_of(shared, queues, i), queue_bytes);

		shm_mq_set_receiver(queue, MyProc);
		crew->queues[i] = shm_mq_attach(queue, crew->parallel->seg, NULL);
	}
	shm_toc_insert(toc, KEY_SHARED, shared);
	shm_toc_insert(toc, KEY_QUEUES, queues);
}

static bool
launch_workers(JoinCrew *crew, int workers, Size queue_bytes)
{
	ParallelContext *parallel = CreateParallelContext("$libdir/neardup", "JoinCrewMain", workers);

	crew->parallel = parallel;
	shm_toc_estimate_chunk(&parallel->estimator, sizeof(CrewShared));
	shm_toc_estimate_chunk(&parallel->estimator, mul_size(queue_bytes, workers));
	shm_toc_estimate_keys(&parallel->estimator, 2);
	InitializeParallelDSM(parallel);
	if (parallel->seg == NULL || parallel->nworkers == 0)
		return false;
	init_shared(crew, workers, queue_bytes);
	LaunchParallelWorkers(parallel);
	crew->queue_count = parallel->nworkers_launched;
	return parallel->nworkers_launched > 0;
}

/* Sleeps until something is received, a worker is done, or there is an interrupt. */
static void
wait_for_workers(void)
{
	WaitLatch(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH, -1, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

/* Waits until all workers are there, so that each has a part in each step. */
static void
wait_for_attachment(JoinCrew *crew)
{
	uint32 attached = 0;

	WaitForParallelWorkersToAttach(crew->parallel);
	while (attached < (uint32) crew->parallel->nworkers_launched)
	{
		SpinLockAcquire(&crew->shared->mutex);
		attached = crew->shared->attached;
		SpinLockRelease(&crew->shared->mutex);
		if (attached < (uint32) crew->parallel->nworkers_launched)
			wait_for_workers();
	}
}

static uint32
next_unit(CrewShared *shared)
{
	return pg_atomic_fetch_add_u32(&shared->next_unit, 1);
}

/* Whether a message came; hands its pairs on. */
static bool
receive_message(JoinCrew *crew, int worker)
{
	Size size;
	void *message;

	if (shm_mq_receive(crew->queues[worker], &size, &message, true) != SHM_MQ_SUCCESS)
		return false;
	crew->take(crew->take_context, message, size / sizeof(FoundPair));
	return true;
}

static void
receive_counts(JoinCrew *crew)
{
	CrewShared *shared = crew->shared;

	crew->host->done += pg_atomic_exchange_u64(&shared->done, 0);
	if (crew->take != NULL)
		crew->take(crew->take_context, NULL, pg_atomic_exchange_u64(&shared->counted_pairs, 0));
}

static bool
receive_all(JoinCrew *crew)
{
	bool any = false;

	receive_counts(crew);
	if (crew->take == NULL)
		return false;
	for (int i = 0; i < crew->queue_count; i++)
	{
		while (receive_message(crew, i))
		{
			CHECK_FOR_INTERRUPTS();
			any = true;
		}
	}
	return any;
}

void
JoinCrewReceive(JoinCrew *crew)
{
	receive_all(crew);
}

void
JoinCrewExpectPairs(JoinCrew *crew, const PairRule *rule, TakeFoundPairs take, void *context)
{
	crew->rule = *rule;
	crew->take = take;
	crew->take_context = context;
}

static void
begin_step(JoinCrew *crew, const JoinWorker *self, JoinStep step, uint32 units)
{
	CrewShared *shared = crew->shared;

	shared->step = step;
	shared->units = units;
	shared->records = *self->records;
	shared->engine = *self->engine;
	shared->rule = crew->rule;

	SpinLockAcquire(&shared->mutex);
	shared->dealt = shared->busy = shared->attached;
	pg_atomic_write_u32(&shared->next_unit, shared->dealt + 1);
	shared->is_running = true;
	shared->step_number++;
	SpinLockRelease(&shared->mutex);
	ConditionVariableBroadcast(&shared->step_began);
}

/* Whether all workers are done; then none can come to the step any more. */
static bool
end_step(CrewShared *shared)
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
share_step(void *context, JoinWorker *self, int step, uint32 units)
{
	JoinCrew *crew = ((JoinProcess *) context)->crew;

	begin_step(crew, self, (JoinStep) step, units);
	for (uint32 unit = 0; unit < units; unit = next_unit(crew->shared))
		JoinStepUnit(self, (JoinStep) step, unit, units);
	JoinStepEnd(self);
	while (!end_step(crew->shared))
	{
		JoinProgressCheck();
		if (!receive_all(crew))
			wait_for_workers();
	}
	receive_all(crew);
}

JoinCrew *
JoinCrewBegin(JoinHost *host, int workers, Size arena_bytes, Size queue_bytes)
{
	JoinCrew *crew = palloc0(sizeof(JoinCrew));

	crew->host = host;
	crew->arena = create_segment(arena_bytes);
	if (crew->arena == NULL)
	{
		pfree(crew);
		return NULL;
	}
	EnterParallelMode();
	if (!launch_workers(crew, workers, MAXALIGN(Max(queue_bytes, shm_mq_minimum_size))))
	{
		DestroyParallelContext(crew->parallel);
		ExitParallelMode();
		dsm_detach(crew->arena);
		pfree(crew);
		return NULL;
	}
	host->share_step = share_step;
	host->least_unit = JoinCrewIsForced() ? 1 : LEAST_UNIT;
	host->arena = (JoinArena){.base = dsm_segment_address(crew->arena),
							  .size = dsm_segment_map_length(crew->arena)};
	if (JoinCrewIsForced())
		wait_for_attachment(crew);
	return crew;
}

bool
JoinCrewHasRoom(const JoinCrew *crew, Size bytes)
{
	return bytes <= crew->host->arena.size;
}

void
JoinCrewEngage(JoinCrew *crew)
{
	JoinHost *host = crew->host;

	host->arena.used = 0;
	host->arena.is_short = false;
	host->participants = crew->parallel->nworkers_launched + 1;
}

void
JoinCrewDismiss(JoinCrew *crew)
{
	crew->host->participants = 1;
	crew->rule.key_order = NULL;
}

static void
add_figures(CrewFigures *sum, const CrewFigures *figures)
{
	sum->probing_workers += figures->probing_workers;
	JoinCountersAdd(&sum->counters, &figures->counters);
	sum->bytes += figures->bytes;
}

void
JoinCrewEnd(JoinCrew *crew, CrewFigures *figures)
{
	CrewShared *shared = crew->shared;

	SpinLockAcquire(&shared->mutex);
	shared->over = true;
	SpinLockRelease(&shared->mutex);
	ConditionVariableBroadcast(&shared->step_began);
	WaitForParallelWorkersToFinish(crew->parallel);
	add_figures(figures, &shared->figures);
	figures->bytes += crew->host->arena.size + shared->queue_bytes * crew->queue_count;
	DestroyParallelContext(crew->parallel);
	ExitParallelMode();

	crew->host->share_step = NULL;
	crew->host->participants = 1;
	crew->rule.key_order = NULL;
	crew->host->arena = (JoinArena){0};
	dsm_detach(crew->arena);
	pfree(crew->queues);
	pfree(crew);
}

/* A worker's own. */
typedef struct CrewMember
{
	CrewShared *shared;
	JoinProcess process;
	shm_mq_handle *queue;
	uint32 number;		/* in the order of attachment */
	uint32 step_number; /* the last that it took part in */
	bool dealt;			/* whether it has a first unit of that */
	CrewFigures figures;

	JoinRecords records;
	JoinEngine engine;
	PairRule rule;
	FoundPair pairs[PAIRS_PER_MESSAGE];
	uint32 pair_count;
	uint64 counted_pairs; /* where they are only counted */
} CrewMember;

static void
send_pairs(CrewMember *member)
{
	if (member->pair_count == 0)
		return;
	if (shm_mq_send(member->queue, member->pair_count * sizeof(FoundPair), member->pairs, false,
					true) != SHM_MQ_SUCCESS)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("could not send pairs to the leader of a similarity join")));
	member->pair_count = 0;
}

static void
send_pair(void *context, const JoinRecord *x, const JoinRecord *y, uint32 overlap)
{
	CrewMember *member = context;

	if (!PairRuleHolds(&member->rule, x, y))
		return;
	member->pairs[member->pair_count++] = PairRuleApply(&member->rule, x, y, overlap);
	if (member->pair_count == PAIRS_PER_MESSAGE)
		send_pairs(member);
}

static void
count_pair(void *context, const JoinRecord *x, const JoinRecord *y, uint32 overlap)
{
	CrewMember *member = context;

	member->counted_pairs += PairRuleHolds(&member->rule, x, y);
}

/* What the leader adds to its own counts. */
static void
report_counts(CrewMember *member)
{
	CrewShared *shared = member->shared;
	JoinHost *host = &member->process.host;

	pg_atomic_fetch_add_u64(&shared->done, host->done);
	pg_atomic_fetch_add_u64(&shared->counted_pairs, member->counted_pairs);
	host->done = member->counted_pairs = 0;
}

/* Becomes one of the crew; false if there is nothing left to do. */
static bool
attach_member(CrewMember *member)
{
	CrewShared *shared = member->shared;
	bool over;

	SpinLockAcquire(&shared->mutex);
	over = shared->over;
	member->number = shared->attached++;
	member->step_number = shared->step_number;
	/* The step that is running, if there is one, is joined late. */
	if (shared->is_running)
	{
		shared->busy++;
		member->step_number--;
	}
	SpinLockRelease(&shared->mutex);
	SetLatch(&shared->leader->procLatch);
	return !over;
}

/* Waits for the next step; false if it is over. */
static bool
await_step(CrewMember *member)
{
	CrewShared *shared = member->shared;
	bool begun = false;
	bool over = false;

	for (;;)
	{
		SpinLockAcquire(&shared->mutex);
		over = shared->over;
		begun = shared->is_running && shared->step_number != member->step_number;
		if (begun)
		{
			member->step_number = shared->step_number;
			member->dealt = member->number < shared->dealt;
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
do_step(CrewMember *member)
{
	CrewShared *shared = member->shared;
	JoinWorker self = {.records = &member->records,
					   .engine = &member->engine,
					   .emit = shared->rule.counts_only ? count_pair : send_pair,
					   .emit_context = member,
					   .counters = &member->figures.counters};
	uint32 unit = member->dealt ? member->number + 1 : next_unit(shared);

	member->rule = shared->rule;
	JoinAdopt(&member->process.host, shared->leader_base, &member->rule.key_order);
	member->records = shared->records;
	JoinAdoptRecords(&member->records, &member->process.host, shared->leader_base);
	member->engine = shared->engine;
	JoinAdoptEngine(&member->engine, &member->records, shared->leader_base);
	for (; unit < shared->units; unit = next_unit(shared))
	{
		JoinStepUnit(&self, shared->step, unit, shared->units);
		report_counts(member);
		if (shared->step == JOIN_FIND_PAIRS)
			member->figures.probing_workers = 1;
	}
	JoinStepEnd(&self);
	send_pairs(member);
	report_counts(member);

	SpinLockAcquire(&shared->mutex);
	shared->busy--;
	SpinLockRelease(&shared->mutex);
	SetLatch(&shared->leader->procLatch);
}

void
JoinCrewMain(dsm_segment *segment, shm_toc *toc)
{
	CrewMember *member = palloc0(sizeof(CrewMember));
	CrewShared *shared = shm_toc_lookup(toc, KEY_SHARED, false);
	shm_mq *queue = queue_of(shared, shm_toc_lookup(toc, KEY_QUEUES, false), ParallelWorkerNumber);
	dsm_segment *arena = dsm_attach(shared->arena);

	/* The leader is done already. */
	if (arena == NULL)
		return;
	member->shared = shared;
	shm_mq_set_sender(queue, MyProc);
	member->queue = shm_mq_attach(queue, segment, NULL);
	JoinProcessInit(&member->process, CurrentMemoryContext);
	member->process.host.arena =
		(JoinArena){.base = dsm_segment_address(arena), .size = shared->arena_size};

	if (attach_member(member))
	{
		while (await_step(member))
			do_step(member);
	}
	member->figures.bytes = member->process.host.peak_bytes;
	SpinLockAcquire(&shared->mutex);
	add_figures(&shared->figures, &member->figures);
	SpinLockRelease(&shared->mutex);
	dsm_detach(arena);
}
