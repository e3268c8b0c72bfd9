/*
 * similarity_join.c
 *		The course of a join: read the queries, canonicalize, index, probe.
 *
 * Where not all rows fit into memory, they are joined part by part (parts.h).
 *
 * Where it pays, parallel workers help, once the records are in the canonical order. They and
 * their arena stay for the whole join, whatever becomes of its parts.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "portability/instr_time.h"
#include "utils/memutils.h"

#include "join/crew_plan.h"
#include "join/parts.h"
#include "join/progress.h"
#include "join/similarity_join.h"

/* The message queue of a worker, in bytes. */
#define MIN_QUEUE ((Size) 16 * 1024)
#define MAX_QUEUE ((Size) 512 * 1024)

static double
seconds_since(instr_time start)
{
	instr_time now;

	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, start);
	return INSTR_TIME_GET_DOUBLE(now);
}

static bool
is_self_join(const SimilarityJoin *join)
{
	return join->request->queries[1] == NULL;
}

/* A join block by block is one phase; its parts go through these phases again and again. */
static void
begin_phase(const SimilarityJoin *join, ProgressPhase phase)
{
	if (!JoinInputIsSpilled(&join->input))
		JoinProgressPhase(phase, 0);
}

static Datum
pair_key(const SimilarityJoin *join, uint32 row)
{
	return JoinKeysResult(&join->joined->keys, join->request->reader.key_policy, row);
}

static void
take_pair(SimilarityJoin *join, const FoundPair *pair)
{
	join->pair_count++;
	join->take(join->take_context, pair_key(join, pair->a), pair_key(join, pair->b), pair->value);
}

static void
emit_pair(void *context, const JoinRecord *x, const JoinRecord *y, uint32 overlap)
{
	SimilarityJoin *join = context;
	FoundPair pair;

	if (!PairRuleHolds(&join->rule, x, y))
		return;
	pair = PairRuleApply(&join->rule, x, y, overlap);
	take_pair(join, &pair);
}

static void
count_pair(void *context, const JoinRecord *x, const JoinRecord *y, uint32 overlap)
{
	SimilarityJoin *join = context;

	join->pair_count += PairRuleHolds(&join->rule, x, y);
}

/* Pairs that a worker found, or their number. */
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
		take_pair(join, &pairs[i]);
}

/* At the end of what takes memory, beside which there is only what is left. */
static void
note_memory(SimilarityJoin *join, Size bytes)
{
	JoinHost *host = &join->process.host;

	join->memory_bytes = Max(join->memory_bytes, bytes);
	host->peak_bytes = host->bytes;
}

static void
read_queries(SimilarityJoin *join)
{
	const JoinRequest *request = join->request;
	JoinInput *input = &join->input;
	instr_time start;

	INSTR_TIME_SET_CURRENT(start);
	JoinInputInit(input, join->context, &join->process.host);
	if (request->algorithm == JOIN_BUCKETS)
		input->records.buckets = &request->buckets;
	JoinInputLimit(input, request->predicate, request->algorithm, join->limit);
	JoinReadQuery(input, &request->reader, request->queries[0]);
	if (!is_self_join(join))
	{
		JoinInputBeginRight(input);
		JoinReadQuery(input, &request->reader, request->queries[1]);
	}
	JoinInputFinish(input);
	note_memory(join, JoinInputReadBytes(input));
	JoinPagesGiveBack(join->process.pages);
	join->row_count = input->row_count;
	join->token_count = input->token_count;
	for (int side = 0; side < 2; side++)
	{
		if (input->spills[side] != NULL)
			join->temp_bytes += JoinSpillBytes(input->spills[side]);
	}
	join->seconds.read += seconds_since(start);
}

/* A copy of the places of the keys that workers see; the keys themselves do not leave this process. */
static const int64 *
share_key_order(JoinHost *host, const JoinKeys *keys)
{
	int64 *shared = JoinAllocateShared(host, keys->count, sizeof(int64));

	for (uint32 first = 0; first < keys->count; first += JOIN_STRIDE)
	{
		JoinTick(host, JOIN_STRIDE);
		memcpy(shared + first, keys->order + first,
			   Min(keys->count - first, JOIN_STRIDE) * sizeof(int64));
	}
	return shared;
}

static void
prepare_comparisons(SimilarityJoin *join, const JoinInput *input)
{
	join->rule.is_self_join = is_self_join(join);
	join->rule.key_order = input->records.key_order;
	if (join->is_shared && join->rule.key_order != NULL)
		join->rule.key_order = share_key_order(&join->process.host, &input->keys);
}

/* In a host whose arena is short, the copy is in the host's own memory. */
static void
forget_comparisons(SimilarityJoin *join, const JoinInput *input)
{
	if (join->rule.key_order != input->keys.order)
		JoinRelease(&join->process.host, unconstify(int64 *, join->rule.key_order),
					input->keys.count, sizeof(int64));
	join->rule.key_order = NULL;
}

/*
 * What an input that is joined has beside the host's arrays. What it took to sort the keys of one
 * block stays in malloc's heap for those of the next.
 */
static Size
bytes_beside(const SimilarityJoin *join, const JoinInput *input)
{
	Size sort = JoinInputIsSpilled(&join->input) ? JoinInputKeySortBytes(input) : 0;

	return JoinInputKeyBytes(input) + JoinInputFileBytes(&join->input) + sort;
}

static void
rank_keys(SimilarityJoin *join, JoinInput *input)
{
	JoinHost *host = &join->process.host;

	note_memory(join, host->peak_bytes + bytes_beside(join, input));
	JoinKeysRank(&input->keys, JoinInputSortMemory(input));
	input->records.key_order = JoinKeysAscend(&input->keys) ? NULL : input->keys.order;
	if (!JoinInputIsSpilled(&join->input))
		note_memory(join, host->bytes + bytes_beside(join, input) + JoinInputKeySortBytes(input));
}

static void
canonicalize_input(SimilarityJoin *join, JoinInput *input)
{
	instr_time start;

	begin_phase(join, PROGRESS_CANONICALIZING);
	INSTR_TIME_SET_CURRENT(start);
	JoinKeysTrim(&input->keys);
	if (is_self_join(join))
		rank_keys(join, input);
	join->seconds.read += seconds_since(start);

	INSTR_TIME_SET_CURRENT(start);
	if (join->most_workers > 0)
		join->arena_bytes =
			JoinLoadShared(&input->load, &input->records, (uint32) join->most_workers + 1);
	JoinRecordsCanonicalize(&input->records);
	join->distinct_tokens = Max(join->distinct_tokens, input->records.distinct_tokens);
	prepare_comparisons(join, input);
	join->seconds.canonicalize += seconds_since(start);
}

static void
probe(SimilarityJoin *join, JoinEngine *engine)
{
	join->rule.measure = join->predicate.measure;
	join->rule.counts_only = join->take == NULL;
	if (join->is_shared)
		JoinCrewExpectPairs(join->process.crew, &join->rule, take_found_pairs, join);
	JoinEngineProbe(engine, join->rule.counts_only ? count_pair : emit_pair, join, &join->counters);
	if (join->key_candidates != NULL)
	{
		for (uint32 i = 0; i < BucketJoinUnits(&engine->buckets); i++)
			join->key_candidates[i] += engine->buckets.candidates[i];
	}
}

/* Whether what is joined now is not all: there are parts, or weaker predicates, to come. */
static bool
is_first_of_several(const SimilarityJoin *join)
{
	return JoinInputIsSpilled(&join->input) ||
		   join->predicate.threshold != join->request->predicate.threshold;
}

/*
 * Beside what this process takes, the arena may take as much again. What is to come may need more
 * than what is joined now: of an arena, up to the limit; and of workers, all.
 */
static void
begin_crew(SimilarityJoin *join, int workers)
{
	Size arena_bytes = join->arena_bytes;

	if (JoinInputIsSpilled(&join->input))
		arena_bytes = Max(arena_bytes, join->limit);
	if (is_first_of_several(join))
		workers = join->most_workers;
	join->crew_was_begun = true;
	join->time_to_start = 0;
	join->process.crew = JoinCrewBegin(&join->process.host, workers, arena_bytes,
									   Max(MIN_QUEUE, Min(join->limit / 64, MAX_QUEUE)));
}

/* Whether there are none to be had, or too little shared memory for them. */
static bool
is_alone(const SimilarityJoin *join)
{
	const JoinCrew *crew = join->process.crew;

	return join->most_workers == 0 ||
		   (join->crew_was_begun && (crew == NULL || !JoinCrewHasRoom(crew, join->arena_bytes)));
}

static int
workers_worth(SimilarityJoin *join, const JoinInput *input)
{
	if (JoinCrewIsForced())
		return join->most_workers;
	return JoinCrewWorth(&input->records, &input->load, join->predicate, &join->time_to_start,
						 join->most_workers);
}

/* Has workers help with what is in memory and canonical, if that is worth it. */
static void
share_input(SimilarityJoin *join, JoinInput *input)
{
	int workers;

	if (join->is_shared || is_alone(join))
		return;
	workers = workers_worth(join, input);
	if (workers == 0)
		return;
	if (!join->crew_was_begun)
		begin_crew(join, workers);
	if (is_alone(join))
		return;
	JoinCrewEngage(join->process.crew);
	join->is_shared = true;
	JoinShareRecords(&input->records);
	prepare_comparisons(join, input);
}

/* Where there are several parts, the next one may not be worth it. */
static void
end_sharing(SimilarityJoin *join)
{
	if (join->is_shared)
		JoinCrewDismiss(join->process.crew);
	join->is_shared = false;
}

/* Joins what is in memory. */
static void
join_in_memory(SimilarityJoin *join, JoinInput *input)
{
	JoinArena *arena = &join->process.host.arena;
	JoinArena mark;
	JoinEngine engine;
	instr_time start;

	join->joined = input;
	if (input != &join->input || !join->is_canonical)
		canonicalize_input(join, input);
	join->is_canonical = input == &join->input;
	begin_phase(join, PROGRESS_INDEXING);

	INSTR_TIME_SET_CURRENT(start);
	share_input(join, input);
	/* Records that are joined again stay in the arena. */
	mark = *arena;
	JoinEngineIndex(&engine, &input->records, join->predicate, join->request->algorithm);
	join->posting_count += engine.posting_count;
	join->seconds.index += seconds_since(start);

	begin_phase(join, PROGRESS_PROBING);
	INSTR_TIME_SET_CURRENT(start);
	probe(join, &engine);
	JoinEngineFree(&engine);
	*arena = mark;
	if (!join->is_canonical)
	{
		forget_comparisons(join, input);
		end_sharing(join);
	}
	note_memory(join, join->process.host.peak_bytes + bytes_beside(join, input));
	join->seconds.probe += seconds_since(start);
}

static void
join_spilled(SimilarityJoin *join)
{
	JoinParts parts;
	instr_time start;
	bool is_any;

	INSTR_TIME_SET_CURRENT(start);
	JoinPartsBegin(&parts, &join->input, join->predicate, join->request->algorithm, join->context,
				   JoinInputPartMemory(&join->input, 0));
	is_any = JoinPartsNext(&parts);
	join->seconds.read += seconds_since(start);
	while (is_any)
	{
		join_in_memory(join, &parts.part);
		INSTR_TIME_SET_CURRENT(start);
		is_any = JoinPartsNext(&parts);
		join->seconds.read += seconds_since(start);
	}
}

void
SimilarityJoinBegin(SimilarityJoin *join, const JoinRequest *request)
{
	instr_time start;

	INSTR_TIME_SET_CURRENT(start);
	memset(join, 0, sizeof(*join));
	join->request = request;
	join->limit = JoinInputMemory();
	join->most_workers = JoinCrewMostWorkers();
	join->time_to_start = JOIN_CREW_TIME_TO_START;
	join->context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup join", ALLOCSET_START_SMALL_SIZES);
	JoinProcessInit(&join->process, join->context);
	JoinProgressBegin(join->context, request->function, &join->process.host, &join->input.row_count,
					  &join->pair_count);
	read_queries(join);
	join->seconds.total += seconds_since(start);
}

void
SimilarityJoinPairs(SimilarityJoin *join, Predicate predicate, TakePair take, void *take_context)
{
	instr_time start;

	INSTR_TIME_SET_CURRENT(start);
	join->predicate = predicate;
	join->take = take;
	join->take_context = take_context;
	if (JoinInputIsSpilled(&join->input))
		join_spilled(join);
	else
		join_in_memory(join, &join->input);
	join->seconds.total += seconds_since(start);
}

void
SimilarityJoinEnd(SimilarityJoin *join)
{
	instr_time start;

	INSTR_TIME_SET_CURRENT(start);
	JoinInputFree(&join->input);
	if (join->process.crew != NULL)
		JoinCrewEnd(join->process.crew, &join->crew);
	JoinCountersAdd(&join->counters, &join->crew.counters);
	MemoryContextDelete(join->context);
	join->seconds.total += seconds_since(start);
}
