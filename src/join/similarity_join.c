/*
 * similarity_join.c
 *		The course of every join: read, spill, canonicalize, index, find pairs.
 *
 * Spilled rows are joined part by part (parts.h), each in the same phases. Workers share the steps
 * of a large part; they and their arena then stay for the whole join.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "memory/join_memory.h"
#include "progress/progress.h"
#include "join/similarity_join.h"
#include "kernel/engines.h"

/* The first worker must be worth its start, and the arena; further ones their start alone. */
#define POSTINGS_OF_FIRST_WORKER 1000000
#define POSTINGS_OF_NEXT_WORKER 250000

/* Bytes of a worker's message queue. */
#define MIN_QUEUE ((Size) 16 * 1024)
#define MAX_QUEUE ((Size) 512 * 1024)

static void
add_seconds(double *seconds, instr_time start)
{
	instr_time now;

	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, start);
	*seconds += INSTR_TIME_GET_DOUBLE(now);
}

static bool
is_spilled(const SimilarityJoin *join)
{
	return JoinInputIsSpilled(&join->input);
}

/* Spilled parts report their own progress. */
static void
begin_phase(const SimilarityJoin *join, ProgressPhase phase)
{
	if (!is_spilled(join) && join->task->name != NULL)
		JoinProgressPhase(phase, 0);
}

/* Returns the bytes that the host does not count. The sort of a part leaves its own in the heap. */
static Size
bytes_beside(const SimilarityJoin *join)
{
	const JoinInput *joined = join->part != NULL ? join->part : &join->input;
	Size sort = is_spilled(join) ? JoinInputKeySortBytes(joined) : 0;

	return JoinInputKeyBytes(joined) + JoinInputFileBytes(&join->input) + sort + join->taker_bytes;
}

static void
note_memory(SimilarityJoin *join, Size bytes)
{
	JoinHost *host = &join->process.host;

	if (join->workers != NULL)
		join->shared_bytes = Max(join->shared_bytes, bytes + host->arena.size);
	else
		join->memory_bytes = Max(join->memory_bytes, bytes);
	host->peak_bytes = host->bytes;
}

void
SimilarityJoinNoteMemory(SimilarityJoin *join)
{
	note_memory(join, join->process.host.peak_bytes + bytes_beside(join));
}

void
SimilarityJoinBegin(SimilarityJoin *join, const JoinTask *task, MemoryContext parent)
{
	JoinInput *input = &join->input;
	Size memory = task->memory > 0 ? task->memory : JoinMemory();

	memset(join, 0, sizeof(*join));
	INSTR_TIME_SET_CURRENT(join->begun);
	join->task = task;
	join->limit = JoinInputMemory(memory);
	join->most_workers =
		task->may_share && JoinEngineCanShare(task->algorithm) ? JoinWorkersMost() : 0;
	join->context = AllocSetContextCreate(parent, "neardup join", ALLOCSET_START_SMALL_SIZES);
	JoinProcessInit(&join->process, join->context);
	Assert(RowKindIsServedBy(task->kind, task->algorithm));
	JoinInputInit(input, task->kind, join->context, &join->process.host);
	input->memory = memory;
	input->records.buckets = task->buckets;
	if (task->name != NULL)
		input->name = join->process.name = task->name;
	JoinInputLimit(input, task->predicate, task->algorithm, join->limit);
	input->most_rows = task->most_rows;
	input->estimate.record_bytes = PairDemandRecordBytes(&task->demand) + JoinInputTailBytes(input);
	if (task->name != NULL)
		JoinProgressBegin(join->context, task->name, &join->process.host, &input->row_count,
						  &join->pair_count);
}

void
SimilarityJoinRead(SimilarityJoin *join)
{
	JoinInput *input = &join->input;

	JoinInputFinish(input);
	if (JoinInputIsSpilled(input))
		JoinProcessFromFiles(&join->process, input->memory);
	if (JoinInputIsSpilled(input) && join->task->memory == 0)
		NeededMemoryNotice(input->name, input->memory,
						   JoinInputMemoryOf(input->kind->needed(input)));
	note_memory(join, JoinInputReadBytes(input));
	join->row_count = input->row_count;
	join->token_count = input->token_count;
	add_seconds(&join->seconds.read, join->begun);
	join->temp_bytes += JoinInputTempBytes(input);
}

void
SimilarityJoinReadAgain(SimilarityJoin *join)
{
	Assert(join->part == NULL && !is_spilled(join));
	join->is_canonical = false;
	join->memory_bytes = 0;
	join->seconds = (JoinSeconds){0};
	INSTR_TIME_SET_CURRENT(join->begun);
	SimilarityJoinRead(join);
}

static void
take_accepted(SimilarityJoin *join, const FoundPair *pair)
{
	const PairDemand *demand = &join->task->demand;
	const JoinKeys *keys = &join->part->keys;

	if (demand->accepts == NULL ||
		demand->accepts(demand->accepts_context, JoinKeysInt64(keys, pair->a),
						JoinKeysInt64(keys, pair->b)))
		join->pair_count += join->take(join->take_context, pair);
}

static void
join_emit_pair(void *context, const JoinRecord *x, const JoinRecord *y, uint64 overlap)
{
	SimilarityJoin *join = context;
	FoundPair pair;

	if (PairRuleFind(&join->rule, x, y, overlap, &pair))
		take_accepted(join, &pair);
}

static void
join_count_pair(void *context, const JoinRecord *x, const JoinRecord *y, uint64 overlap)
{
	SimilarityJoin *join = context;

	join->pair_count += PairRuleHolds(&join->rule, x, y);
}

/* Takes the pairs of a worker; NULL if they were only counted. */
static void
take_found_pairs(void *context, const FoundPair *pairs, uint64 count)
{
	SimilarityJoin *join = context;

	if (pairs == NULL)
	{
		join->pair_count += count;
		return;
	}
	for (uint64 i = 0; i < count; i++)
		take_accepted(join, &pairs[i]);
}

/* Copies the order of the keys for the workers, which do not see the keys. */
static const int64 *
share_key_order(JoinHost *host, const JoinKeys *keys)
{
	int64 *shared = JoinAllocateShared(host, keys->count, sizeof(int64));

	memcpy(shared, keys->order, keys->count * sizeof(int64));
	return shared;
}

/* Whether there are parts, or weaker predicates, to come. */
static bool
is_first_of_several(const SimilarityJoin *join)
{
	return is_spilled(join) || join->predicate.threshold != join->task->predicate.threshold;
}

/* Begins the workers; later parts or predicates may need a larger arena, and all workers. */
static void
begin_workers(SimilarityJoin *join, int workers)
{
	Size arena_bytes =
		is_spilled(join) ? JoinInputArenaBytes(join->parts.limit) : join->arena_bytes;

	if (is_first_of_several(join))
		workers = join->most_workers;
	/* What was taken before the arena was made, such as to read the rows, is not beside it. */
	SimilarityJoinNoteMemory(join);
	join->workers_were_begun = true;
	join->workers = JoinWorkersBegin(&join->process, workers, arena_bytes,
									 Max(MIN_QUEUE, Min(join->limit / 64, MAX_QUEUE)));
}

static bool
is_alone(const SimilarityJoin *join)
{
	return join->most_workers == 0 ||
		   (join->workers_were_begun &&
			(join->workers == NULL || !JoinWorkersHaveRoom(join->workers, join->arena_bytes)));
}

/* Returns the number of workers that pay; the work of small parts adds up until it is worth one. */
static int
workers_worth(SimilarityJoin *join)
{
	if (JoinWorkersAreForced())
		return join->most_workers;
	join->unshared += (double) JoinEnginePostings(join->task->algorithm, &join->part->estimate);
	if (join->unshared < POSTINGS_OF_FIRST_WORKER)
		return 0;
	return (int) Min((double) join->most_workers,
					 1 + (join->unshared - POSTINGS_OF_FIRST_WORKER) / POSTINGS_OF_NEXT_WORKER);
}

/*
 * Whether the memory has room for the arena, and for workers, beside the rows as they were read.
 * Parts of spilled rows leave it; and workers that are forced come in any case.
 */
static bool
arena_fits(const SimilarityJoin *join)
{
	Size most = join->input.memory / SHARES * (SHARE_OF_PART + SHARE_OF_ARENA);

	return is_spilled(join) || JoinWorkersAreForced() ||
		   join->process.host.bytes + bytes_beside(join) + join->arena_bytes <= most;
}

static void
share_part(SimilarityJoin *join)
{
	int workers;

	if (join->is_shared || is_alone(join) || !arena_fits(join))
		return;
	workers = workers_worth(join);
	if (workers == 0)
		return;
	if (!join->workers_were_begun)
		begin_workers(join, workers);
	if (is_alone(join))
		return;
	JoinWorkersEngage(join->workers);
	join->is_shared = true;
}

/* Ends sharing of a part. If the arena was short, the copy of the order is in the host's memory. */
static void
end_sharing(SimilarityJoin *join)
{
	const JoinKeys *keys = &join->part->keys;

	if (!join->is_shared)
		return;
	if (join->rule.key_order != keys->order)
		JoinRelease(&join->process.host, unconstify(int64 *, join->rule.key_order), keys->count,
					sizeof(int64));
	JoinWorkersDismiss(join->workers);
	join->is_shared = false;
}

static void
rank_keys(SimilarityJoin *join)
{
	JoinInput *part = join->part;

	SimilarityJoinNoteMemory(join);
	JoinKeysRank(&part->keys, JoinInputSortMemory(part));
	part->records.key_order = JoinKeysAscend(&part->keys) ? NULL : part->keys.order;
	if (!is_spilled(join))
		note_memory(join,
					join->process.host.bytes + bytes_beside(join) + JoinInputKeySortBytes(part));
}

static void
canonicalize_part(SimilarityJoin *join)
{
	JoinInput *part = join->part;
	instr_time start;

	INSTR_TIME_SET_CURRENT(start);
	JoinKeysTrim(&part->keys);
	if (join->task->distinct_keys)
		rank_keys(join);
	add_seconds(&join->seconds.read, start);

	INSTR_TIME_SET_CURRENT(start);
	if (part->kind->prepare != NULL)
		part->kind->prepare(part, &join->input, &join->predicate);
	if (join->most_workers > 0)
		join->arena_bytes =
			MemoryEstimateShared(&part->estimate, &part->records, (uint32) join->most_workers + 1);
	share_part(join);
	JoinCanonicalize(&part->records);
	join->distinct_tokens = Max(join->distinct_tokens, part->records.distinct_tokens);
	join->rule.records = &part->records;
	join->rule.key_order = part->records.key_order;
	if (join->is_shared && join->rule.key_order != NULL)
		join->rule.key_order = share_key_order(&join->process.host, &part->keys);
	add_seconds(&join->seconds.canonicalize, start);
}

static void
index_part(SimilarityJoin *join)
{
	instr_time start;

	INSTR_TIME_SET_CURRENT(start);
	/* The index leaves the arena; the records stay there for the next predicate. */
	join->before_index = join->process.host.arena;
	RecordDemandSet(&join->part->records, &join->task->demand, join->part->keys.integers);
	JoinEngineIndex(&join->engine, &join->part->records, join->part->content, join->predicate,
					join->task->algorithm);
	join->posting_count += join->engine.posting_count;
	add_seconds(&join->seconds.index, start);
}

static bool
load_part(SimilarityJoin *join)
{
	bool is_any;
	instr_time start;

	if (!is_spilled(join))
	{
		if (join->is_done || join->input.keys.count == 0)
			return false;
		join->part = &join->input;
		return true;
	}
	INSTR_TIME_SET_CURRENT(start);
	is_any = JoinPartsNext(&join->parts);
	add_seconds(&join->seconds.read, start);
	if (!is_any)
		return false;
	join->part = &join->parts.part;
	return true;
}

static bool
join_begin_part(SimilarityJoin *join)
{
	if (!load_part(join))
		return false;
	join->part_count++;
	if (!join->is_canonical)
	{
		begin_phase(join, PROGRESS_CANONICALIZING);
		canonicalize_part(join);
		join->is_canonical = !is_spilled(join);
	}
	begin_phase(join, PROGRESS_INDEXING);
	index_part(join);
	begin_phase(join, PROGRESS_PROBING);
	if (join->is_shared)
		JoinWorkersExpectPairs(join->workers, &join->rule, take_found_pairs, join);
	join->self =
		(JoinParticipant){.engine = &join->engine,
						  .emit = join->rule.counts_only ? join_count_pair : join_emit_pair,
						  .emit_context = join,
						  .counters = &join->counters};
	join->unit = 0;
	join->unit_count = JoinEngineBeginFind(&join->engine);
	return true;
}

static void
join_end_part(SimilarityJoin *join)
{
	if (join->task->part_ends != NULL)
		join->task->part_ends(join->task->part_context, &join->engine);
	JoinEngineFree(&join->engine);
	RecordDemandFree(&join->part->records);
	join->process.host.arena = join->before_index;
	if (is_spilled(join))
		end_sharing(join);
	SimilarityJoinNoteMemory(join);
	join->is_done = true;
	join->part = NULL;
}

/*
 * Whether rows in files are joined with workers: only where these are forced. A part would leave them
 * most of the memory, so that each row is loaded as much more often, which costs more than they gain.
 */
static bool
parts_have_workers(const SimilarityJoin *join)
{
	return join->most_workers > 0 && JoinWorkersAreForced();
}

static void
begin_parts(SimilarityJoin *join)
{
	const JoinTask *task = join->task;
	Size beside = task->consumer_bytes + join->process.host.bytes;

	if (!parts_have_workers(join))
		join->most_workers = 0;
	JoinPartsBegin(&join->parts, &join->input, join->predicate, task->algorithm, &task->demand,
				   join->context,
				   JoinInputPartMemory(&join->input, beside, join->most_workers > 0));
}

void
SimilarityJoinFind(SimilarityJoin *join, Predicate predicate, TakePair take, void *take_context)
{
	/* Pairs that are only counted are not compared with their tails. */
	Assert(take != NULL || join->task->most_rows == 0);
	join->predicate = predicate;
	join->take = take;
	join->take_context = take_context;
	join->is_done = false;
	join->process.host.is_stopped = false;
	join->rule.predicate = predicate;
	join->rule.has_value = JoinEngineEmitsValues(join->task->algorithm);
	join->rule.lesser_first = join->task->distinct_keys && !MeasureIsDirected(predicate.measure);
	join->rule.counts_only = take == NULL;
	PairDemandBegin(&join->task->demand);
	if (is_spilled(join))
		begin_parts(join);
}

/* Does the next unit, or with workers all units at once. */
static void
join_find_pairs(SimilarityJoin *join)
{
	instr_time start;

	INSTR_TIME_SET_CURRENT(start);
	if (join->is_shared)
	{
		JoinStepRun(&join->self, JOIN_FIND_PAIRS, join->unit_count);
		join->unit = join->unit_count;
	}
	else
		JoinEngineFindUnit(&join->self, join->unit++, join->unit_count);
	if (join->process.host.is_stopped && join->unit < join->unit_count)
	{
		JoinStepEnd(&join->self);
		join->unit = join->unit_count;
	}
	add_seconds(&join->seconds.probe, start);
}

bool
SimilarityJoinNext(SimilarityJoin *join)
{
	if (join->part != NULL && join->unit == join->unit_count)
		join_end_part(join);
	if (join->part == NULL && join->process.host.is_stopped)
	{
		if (is_spilled(join))
			JoinPartsEnd(&join->parts);
		return false;
	}
	if (join->part == NULL)
		return join_begin_part(join);
	join_find_pairs(join);
	return true;
}

void
SimilarityJoinEnd(SimilarityJoin *join)
{
	JoinInputFree(&join->input);
	if (join->workers != NULL)
		JoinWorkersEnd(join->workers, &join->workers_did);
	join->memory_bytes = Max(join->memory_bytes, join->shared_bytes + join->workers_did.bytes);
	JoinCountersAdd(&join->counters, &join->workers_did.counters);
	MemoryContextDelete(join->context);
	add_seconds(&join->seconds.total, join->begun);
}
