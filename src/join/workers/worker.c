/*
 * worker.c
 *		A parallel worker of a join.
 *
 * A worker is a host of the kernel, as the leader is, with the leader's arena mapped at an address
 * of its own. In each step it copies the leader's records and engine, adopts their pointers, and
 * does units until none is left (shared_join.h). It applies the pair rule to what it finds, and
 * sends its pairs by a message queue, or only counts them.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "storage/proc.h"

#include "kernel/engines.h"
#include "join/process.h"
#include "join/workers/shared_join.h"
#include "join/workers/worker.h"

#define PAIRS_PER_MESSAGE 512

typedef struct Worker
{
	SharedJoin *shared;
	JoinProcess process;
	shm_mq_handle *queue;
	WorkerPlace place;
	WorkerFigures figures;

	/* The leader's, adopted for the step. */
	JoinRecords records;
	JoinEngine engine;
	PairRule rule;

	FoundPair pairs[PAIRS_PER_MESSAGE]; /* not sent yet */
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

/* A JoinEmit: puts a pair into the next message. */
static void
send_pair(void *context, const JoinRecord *x, const JoinRecord *y, uint64 overlap)
{
	Worker *worker = context;

	if (!PairRuleFind(&worker->rule, x, y, overlap, &worker->pairs[worker->pair_count]))
		return;
	if (++worker->pair_count == PAIRS_PER_MESSAGE)
		send_pairs(worker);
}

/* A JoinEmit: counts a pair. */
static void
worker_count_pair(void *context, const JoinRecord *x, const JoinRecord *y, uint64 overlap)
{
	Worker *worker = context;

	worker->counted_pairs += PairRuleHolds(&worker->rule, x, y);
}

/* Hands the progress and the counted pairs over to the leader. */
static void
report_counts(Worker *worker)
{
	SharedJoin *shared = worker->shared;
	JoinHost *host = &worker->process.host;

	pg_atomic_fetch_add_u64(&shared->done, host->done);
	pg_atomic_fetch_add_u64(&shared->counted_pairs, worker->counted_pairs);
	host->done = worker->counted_pairs = 0;
}

/* Copies the leader's structures, and turns their pointers into this worker's. */
static void
adopt_step(Worker *worker)
{
	SharedJoin *shared = worker->shared;
	JoinAdoption adoption = {.leader_base = shared->leader_base,
							 .base = worker->process.host.arena.base};

	worker->rule = shared->rule;
	worker->rule.records = &worker->records;
	JoinAdopt(adoption, &worker->rule.key_order);
	worker->records = shared->records;
	JoinRecordsAdopt(&worker->records, &worker->process.host, shared->leader_base);
	worker->engine = shared->engine;
	JoinEngineAdopt(&worker->engine, &worker->records, shared->leader_base);
}

/* Stops the step if the leader wants no more pairs; a JoinProcess calls it with each check for interrupts. */
static void
receive_stop(void *context)
{
	Worker *worker = context;

	if (pg_atomic_read_u32(&worker->shared->is_stopped) != 0)
		worker->process.host.is_stopped = true;
}

static void
do_step(Worker *worker)
{
	SharedJoin *shared = worker->shared;
	JoinParticipant self = {.engine = &worker->engine,
							.emit = shared->rule.counts_only ? worker_count_pair : send_pair,
							.emit_context = worker,
							.counters = &worker->figures.counters};
	/* Unit 0 is the leader's. */
	uint32 unit =
		worker->place.has_first_unit ? worker->place.number + 1 : SharedJoinNextUnit(shared);

	adopt_step(worker);
	worker->process.host.is_stopped = false;
	for (; unit < shared->units && !worker->process.host.is_stopped;
		 unit = SharedJoinNextUnit(shared))
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
	SharedJoinLeaveStep(shared);
}

void
JoinWorkerMain(dsm_segment *segment, shm_toc *toc)
{
	Worker *worker = palloc0(sizeof(Worker));
	SharedJoin *shared = shm_toc_lookup(toc, SHARED_JOIN_KEY, false);
	char *queues = shm_toc_lookup(toc, SHARED_QUEUES_KEY, false);
	shm_mq *queue = SharedJoinQueue(shared, queues, ParallelWorkerNumber);
	dsm_segment *arena = dsm_attach(shared->arena);

	/* The join is over. */
	if (arena == NULL)
		return;
	worker->shared = shared;
	shm_mq_set_sender(queue, MyProc);
	worker->queue = shm_mq_attach(queue, segment, NULL);
	JoinProcessInit(&worker->process, CurrentMemoryContext);
	worker->process.receive = receive_stop;
	worker->process.receive_context = worker;
	worker->process.host.arena =
		(JoinArena){.base = dsm_segment_address(arena), .size = shared->arena_size};

	if (SharedJoinAttach(shared, &worker->place))
	{
		while (SharedJoinAwaitStep(shared, &worker->place))
			do_step(worker);
	}
	worker->figures.bytes = worker->process.host.peak_bytes;
	SharedJoinAddFigures(shared, &worker->figures);
	dsm_detach(arena);
}
