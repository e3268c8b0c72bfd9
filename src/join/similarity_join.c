/*
 * similarity_join.c
 *		The course of a join: read the queries, canonicalize, index, probe.
 *
 * Where not all rows fit into memory, they come back from their files in the
 * order of sizes. A block of them, of half the memory, is joined with itself,
 * and then with one after the other of the parts that the size filter lets it
 * meet, as the two sides of an R-S join. Each such join has its own dictionary
 * and its own order of tokens, so that exactness is that of a join in memory;
 * the counters are other ones, the pairs never.
 *
 * Where it pays, parallel workers help, from the canonical order on. They and
 * their arena stay for the whole join, whatever becomes of its parts.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "portability/instr_time.h"
#include "utils/memutils.h"

#include "join/progress.h"
#include "join/similarity_join.h"

/* Tokens and postings that are worth a worker: about ten milliseconds. */
#define TOKENS_PER_WORKER 500000

/* The message queue of a worker, in bytes. */
#define MIN_QUEUE ((Size) 16 * 1024)
#define MAX_QUEUE ((Size) 512 * 1024)

/* Rows that were, or are to be, read from a file, one after the other. */
typedef struct RowRange
{
	SpillMark begin;
	SpillMark end;
	uint64 count;
	uint64 token_count;
	uint32 least_size;
	uint32 greatest_size;
} RowRange;

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
		JoinKeysRank(&input->keys, JoinInputSortMemory(input));
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
	JoinEngineFree(&engine);
	*arena = mark;
	note_memory(join, input);
	join->seconds.probe += seconds_since(start);
}

/* An empty part, with a limit of memory. */
static void
begin_part(SimilarityJoin *join, JoinInput *part, Size limit)
{
	JoinLoad load;

	JoinInputInitLike(part, &join->input, join->context);
	JoinLoadInit(&load, join->predicate, join->request->algorithm, limit);
	JoinLoadShare(&load, join->process.host.participants,
				  (double) join->process.host.arena.size / join->limit * limit);
	JoinInputLimit(part, &load);
}

/* An empty block: half of the memory, also where the rest that it meets has larger sets. */
static void
begin_block(SimilarityJoin *join, JoinInput *block)
{
	begin_part(join, block, join->limit / 2);
	block->load.least_words = SIGNATURE_MAX_WORDS;
}

/*
 * Appends rows, from the place where the range begins, as long as they fit and
 * are no larger than greatest_size: at least one, if there is one of that size.
 * Says in the range what was read.
 */
static void
load_rows(JoinInput *part, JoinSpill *spill, int64 greatest_size, RowRange *range)
{
	SpillRow row;

	range->count = range->token_count = 0;
	range->end = range->begin;
	JoinSpillSeek(spill, range->begin);
	while (JoinSpillNext(spill, &row))
	{
		CHECK_FOR_INTERRUPTS();
		if (row.size > greatest_size || (range->count > 0 && !JoinInputFits(part, &row)))
			break;
		JoinInputAppendSpilled(part, &row);
		if (range->count == 0)
			range->least_size = row.size;
		range->greatest_size = row.size;
		range->count++;
		range->token_count += row.size;
		range->end = JoinSpillTell(spill);
	}
}

/* Appends the rows of the range once more. */
static void
reload_rows(JoinInput *part, JoinSpill *spill, const RowRange *range)
{
	SpillRow row;

	JoinSpillSeek(spill, range->begin);
	for (uint64 i = 0; i < range->count && JoinSpillNext(spill, &row); i++)
	{
		CHECK_FOR_INTERRUPTS();
		JoinInputAppendSpilled(part, &row);
	}
}

/* The first row of at least this size, from a place on. */
static SpillMark
skip_smaller(JoinSpill *spill, SpillMark from, int64 least_size)
{
	SpillRow row;

	JoinSpillSeek(spill, from);
	while (JoinSpillNext(spill, &row) && row.size < least_size)
	{
		CHECK_FOR_INTERRUPTS();
		from = JoinSpillTell(spill);
	}
	return from;
}

/* The rows of two ranges as the sides of a join. */
static void
join_sides(SimilarityJoin *join, JoinSpill *left, const RowRange *left_rows, JoinSpill *right,
		   const RowRange *right_rows)
{
	JoinInput part;
	instr_time start;

	INSTR_TIME_SET_CURRENT(start);
	begin_part(join, &part, join->limit);
	reload_rows(&part, left, left_rows);
	JoinInputBeginRight(&part);
	reload_rows(&part, right, right_rows);
	join->seconds.read += seconds_since(start);
	join_in_memory(join, &part);
	JoinInputFree(&part);
}

/*
 * Joins a block of the left side with what it can meet of the right, from a
 * place on. In a self-join both are in one file, and the rest follows the block.
 */
static void
join_with_rest(SimilarityJoin *join, const RowRange *block, SpillMark from)
{
	JoinSpill *left = join->input.spills[0];
	JoinSpill *right = is_self_join(join) ? left : join->input.spills[1];
	int64 greatest_size = PredicateGreatestSize(join->predicate, block->greatest_size);
	RowRange rest = {.begin = from};

	for (;; rest.begin = rest.end)
	{
		JoinInput part;
		instr_time start;

		INSTR_TIME_SET_CURRENT(start);
		begin_part(join, &part, join->limit);
		reload_rows(&part, left, block);
		JoinInputBeginRight(&part);
		load_rows(&part, right, greatest_size, &rest);
		join->seconds.read += seconds_since(start);
		if (rest.count > 0)
		{
			BlockProgressPart(&join->blocks, rest.token_count);
			join_in_memory(join, &part);
		}
		JoinInputFree(&part);
		if (rest.count == 0)
			break;
		if (is_self_join(join) && MeasureIsAsymmetric(join->predicate.measure))
			join_sides(join, right, &rest, left, block);
	}
}

static void
join_spilled(SimilarityJoin *join)
{
	JoinSpill *left = join->input.spills[0];
	RowRange block = {.begin = {0, 0}};
	SpillMark from = {0, 0};

	BlockProgressBegin(&join->blocks, JoinSpillProfile(left),
					   JoinSpillProfile(is_self_join(join) ? left : join->input.spills[1]),
					   join->predicate);
	for (;; block.begin = block.end)
	{
		JoinInput part;
		instr_time start;

		INSTR_TIME_SET_CURRENT(start);
		begin_block(join, &part);
		load_rows(&part, left, PG_INT32_MAX, &block);
		join->seconds.read += seconds_since(start);
		if (block.count > 0)
			BlockProgressBlock(&join->blocks, block.token_count, block.least_size,
							   block.greatest_size);
		if (block.count > 0 && is_self_join(join))
		{
			BlockProgressPart(&join->blocks, block.token_count);
			join_in_memory(join, &part);
		}
		JoinInputFree(&part);
		if (block.count == 0)
			break;

		if (is_self_join(join))
			from = block.end;
		else
			from = skip_smaller(join->input.spills[1], from,
								PredicateLeastSize(join->predicate, block.least_size));
		join_with_rest(join, &block, from);
	}
}

/*
 * Starting a worker takes a few milliseconds, and it must have more to do than
 * that. Beside what this process takes, the arena may take as much again.
 */
static void
begin_crew(SimilarityJoin *join)
{
	const JoinInput *input = &join->input;
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
