/*
 * similarity_join.c
 *		The course of a join: read the queries, canonicalize, index, probe.
 *
 * Where not all rows fit into memory, they are joined part by part (parts.h).
 *
 * Where it pays, parallel workers help, from the canonical order on. They and
 * their arena stay for the whole join, whatever becomes of its parts.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "portability/instr_time.h"
#include "utils/memutils.h"

#include "join/parts.h"
#include "join/progress.h"
#include "join/similarity_join.h"

/* Tokens and postings that are worth a worker: about ten milliseconds. */
#define TOKENS_PER_WORKER 500000

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

/*
 * A self-join pairs rows of different keys only, the lesser key first; under
 * an asymmetric measure the order is the measure's.
 */
static void
emit_pair(void *context, const JoinRecord *x, const JoinRecord *y, uint32 overlap)
{
	SimilarityJoin *join = context;

	if (is_self_join(join))
	{
		int order = JoinKeysCompare(&join->joined->keys, x->row, y->row);

		if (order == 0)
			return;
		if (order > 0 && !MeasureIsAsymmetric(join->predicate.measure))
		{
			const JoinRecord *swap = x;

			x = y;
			y = swap;
		}
	}
	join->pair_count++;
	if (join->take == NULL)
		return;
	join->take(join->take_context, pair_key(join, x->row), pair_key(join, y->row),
			   MeasureValue(join->predicate.measure, overlap, x->size, y->size));
}

/* At the end of what takes memory: the most that it took, beside which there is only what is left. */
static void
note_memory(SimilarityJoin *join, const JoinInput *input)
{
	JoinHost *host = &join->process.host;
	Size keys = Max(JoinInputKeyBytes(input), input->spilled_key_bytes);

	join->memory_bytes =
		Max(join->memory_bytes, host->peak_bytes + keys + JoinInputSortBytes(input));
	host->peak_bytes = host->bytes;
}

static void
read_queries(SimilarityJoin *join)
{
	const JoinRequest *request = join->request;
	JoinInput *input = &join->input;
	JoinLoad load;
	instr_time start;

	INSTR_TIME_SET_CURRENT(start);
	JoinInputInit(input, join->context, &join->process.host);
	if (request->algorithm == JOIN_BUCKETS)
		input->records.buckets = &request->buckets;
	JoinLoadInit(&load, request->predicate, request->algorithm, join->limit);
	JoinInputLimit(input, &load);
	JoinReadQuery(input, &request->reader, request->queries[0]);
	if (!is_self_join(join))
	{
		JoinInputBeginRight(input);
		JoinReadQuery(input, &request->reader, request->queries[1]);
	}
	JoinInputFinish(input);
	note_memory(join, input);
	join->row_count = input->row_count;
	join->token_count = input->token_count;
	for (int side = 0; side < 2; side++)
	{
		if (input->spills[side] != NULL)
			join->temp_bytes += JoinSpillBytes(input->spills[side]);
	}
	join->seconds.read += seconds_since(start);
}

static void
canonicalize_input(SimilarityJoin *join, JoinInput *input)
{
	instr_time start;

	begin_phase(join, PROGRESS_CANONICALIZING);
	INSTR_TIME_SET_CURRENT(start);
	JoinKeysTrim(&input->keys);
	if (is_self_join(join))
	{
		JoinKeysRank(&input->keys, JoinInputSortMemory(input));
		input->records.key_order = input->keys.order;
	}
	join->seconds.read += seconds_since(start);

	INSTR_TIME_SET_CURRENT(start);
	JoinRecordsCanonicalize(&input->records);
	join->distinct_tokens = Max(join->distinct_tokens, input->records.distinct_tokens);
	join->seconds.canonicalize += seconds_since(start);
}

/* Joins what is in memory. */
static void
join_in_memory(SimilarityJoin *join, JoinInput *input)
{
	JoinRecords *records = &input->records;
	JoinArena *arena = &join->process.host.arena;
	JoinArena mark = *arena;
	JoinEngine engine;
	instr_time start;

	join->joined = input;
	if (input != &join->input || !join->is_canonical)
		canonicalize_input(join, input);
	join->is_canonical = input == &join->input;
	/* What is joined again stays in the arena. */
	if (join->is_canonical)
		mark = *arena;

	begin_phase(join, PROGRESS_INDEXING);
	INSTR_TIME_SET_CURRENT(start);
	JoinEngineIndex(&engine, records, join->predicate, join->request->algorithm);
	join->posting_count += engine.posting_count;
	join->seconds.index += seconds_since(start);

	begin_phase(join, PROGRESS_PROBING);
	INSTR_TIME_SET_CURRENT(start);
	JoinEngineProbe(&engine, emit_pair, join, &join->counters);
	if (join->key_candidates != NULL)
	{
		for (uint32 i = 0; i < BucketJoinUnits(&engine.buckets); i++)
			join->key_candidates[i] += engine.buckets.candidates[i];
	}
	JoinEngineFree(&engine);
	*arena = mark;
	note_memory(join, input);
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
				   join->limit);
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

/*
 * Starting a worker takes a few milliseconds, and it must have more to do than
 * that. Beside what this process takes, the arena may take as much again.
 */
static void
begin_crew(SimilarityJoin *join)
{
	JoinInput *input = &join->input;
	uint64 work = input->load.postings + input->token_count;
	int workers = JoinCrewMostWorkers();
	Size arena = join->limit;

	if (!JoinInputIsSpilled(input))
	{
		if (!JoinCrewIsForced())
			workers = Min((uint64) workers, work / TOKENS_PER_WORKER);
		arena = JoinLoadShared(&input->load, &input->records, workers + 1);
	}
	if (workers == 0)
		return;
	join->process.crew = JoinCrewBegin(&join->process.host, workers, arena,
									   Max(MIN_QUEUE, Min(join->limit / 64, MAX_QUEUE)));
}

void
SimilarityJoinBegin(SimilarityJoin *join, const JoinRequest *request)
{
	instr_time start;

	INSTR_TIME_SET_CURRENT(start);
	memset(join, 0, sizeof(*join));
	join->request = request;
	join->limit = get_hash_memory_limit() / 8 * 7;
	join->context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup join", ALLOCSET_DEFAULT_SIZES);
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
	if (!join->crew_is_planned)
		begin_crew(join);
	join->crew_is_planned = true;
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
