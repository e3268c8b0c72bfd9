/*
 * sample_join.c
 *		Joins a sample, and estimates the pairs of the whole query from it.
 *
 * A pair of the sample stands for 1 / p pairs of the query, its weight, where p is the probability
 * that a pair is in the sample. If each row is in it with probability f, then p is f * f: in a
 * sample of a tenth of the rows, a pair stands for 100. Where blocks of the table were sampled, two
 * rows of one block come with it, and p has the block's probability only once.
 *
 * The variance of the sum of weights is estimated as by Horvitz and Thompson. Pairs with a row in
 * common are not independent: if the row is in the sample, both are more likely. A row that has
 * most pairs of the query makes the estimate uncertain, and add_common_units adds that. For blocks
 * the estimate is an upper bound, since the pairs between the same two blocks depend on each other,
 * too.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/memutils.h"

#include "compat.h"
#include "kinds/sets/set_rows.h"
#include "join/sample/sample_join.h"

/* Returns whether all rows of the query are joined. */
static bool
is_complete(const SampleJoin *join)
{
	return join->sample->share >= 1 && join->draws >= 1;
}

/* Appends the rows below the limit to the join's input, and numbers the units that they are of. */
static void
append_rows(SampleJoin *join)
{
	const RowSample *sample = join->sample;
	JoinInput *input = &join->join.input;
	uint32 last_block = 0;

	JoinInputSetKeys(input, INT8OID, InvalidOid, false);
	/* The size of the sample bounds the memory. */
	input->is_limited = false;
	for (int64 i = 0; i < (int64) sample->row_count; i++)
	{
		const SampledRow *row = &sample->rows[i];

		if (row->draw >= join->draws)
			continue;
		if (join->row_count == 0 || !sample->of_query.by_block || row->block != last_block)
			join->unit_count++;
		last_block = row->block;
		join->units[join->row_count] = join->unit_count - 1;
		join->rows[join->row_count++] = (uint32) i;
		join->token_count += row->count;
		JoinInputAppend(input, nd_int64_datum(&i),
						&(JoinRow){.data = row->tokens, .count = row->count});
	}
}

SampleJoin *
SampleJoinBegin(const RowSample *sample, double draws, Predicate weakest)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "neardup join of a sample",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext previous = MemoryContextSwitchTo(context);
	SampleJoin *join = palloc0(sizeof(SampleJoin));
	double share = sample->share;
	Size rows = Max(sample->row_count, 1);

	join->sample = sample;
	join->draws = draws;
	join->context = context;
	join->rows = palloc_extended(rows * sizeof(uint32), MCXT_ALLOC_HUGE);
	join->units = palloc_extended(rows * sizeof(uint32), MCXT_ALLOC_HUGE);
	join->weights = palloc_extended(rows * sizeof(double), MCXT_ALLOC_HUGE);
	join->squares = palloc_extended(rows * sizeof(double), MCXT_ALLOC_HUGE);
	join->task = (JoinTask){.kind = &set_rows, .predicate = weakest, .algorithm = JOIN_AUTO};
	SimilarityJoinBegin(&join->join, &join->task, context);
	append_rows(join);
	SimilarityJoinRead(&join->join);
	join->drawn = Max(join->row_count, 1) / (double) Max(sample->sets_seen, 1);
	join->weight = 1 / (share * share * join->drawn * join->drawn);
	join->weight_in_block = 1 / (share * join->drawn * join->drawn);
	MemoryContextSwitchTo(previous);
	return join;
}

/* Takes a pair: adds its weight to the sum of all and to the sums of its units. */
static uint64
weigh_pair(void *context, const FoundPair *pair)
{
	SampleJoin *join = context;
	uint32 a = join->units[pair->a];
	uint32 b = join->units[pair->b];
	double weight = a == b ? join->weight_in_block : join->weight;

	join->pairs += weight;
	join->variance += weight * (weight - 1);
	join->weights[a] += weight;
	join->squares[a] += weight * weight;
	if (a == b)
		return 1;
	join->weights[b] += weight;
	join->squares[b] += weight * weight;
	return 1;
}

/* Adds to the variance what pairs with a row or block in common contribute. */
static void
add_common_units(SampleJoin *join)
{
	double share = join->sample->share * join->drawn;
	bool of_blocks = join->sample->of_query.by_block;

	for (uint32 unit = 0; unit < join->unit_count; unit++)
		join->variance += (1 - share) * (join->weights[unit] * join->weights[unit] -
										 (of_blocks ? 0 : join->squares[unit]));
}

/* Stops the join if its time is over. */
static void
check_time(void *context)
{
	SampleJoin *join = context;

	if (SecondsSince(join->begun) > join->limit)
		join->join.process.host.is_stopped = true;
}

/* Finds the pairs, and returns false if the time was over. */
static bool
find_in_time(SampleJoin *join, Predicate predicate)
{
	JoinProcess *process = &join->join.process;

	process->receive = check_time;
	process->receive_context = join;
	SimilarityJoinFind(&join->join, predicate, is_complete(join) ? NULL : weigh_pair, join);
	while (!process->host.is_stopped && SimilarityJoinNext(&join->join))
		;
	return !process->host.is_stopped;
}

/* Returns how many pairs have met in lists. */
static double
count_met(const JoinCounters *counters)
{
	return (double) (counters->candidates + counters->pruned_by_position +
					 counters->pruned_by_bitmap + counters->pruned_by_suffix);
}

bool
SampleJoinFind(SampleJoin *join, Predicate predicate, double limit)
{
	JoinSeconds before = join->join.seconds;
	double met = count_met(&join->join.counters);

	INSTR_TIME_SET_CURRENT(join->begun);
	join->limit = limit;
	join->join.pair_count = join->join.posting_count = 0;
	join->pairs = join->variance = 0;
	memset(join->weights, 0, join->unit_count * sizeof(double));
	memset(join->squares, 0, join->unit_count * sizeof(double));
	if (!find_in_time(join, predicate))
		return false;
	if (is_complete(join))
		join->pairs = (double) join->join.pair_count;
	else
		add_common_units(join);
	join->index_seconds = join->join.seconds.index - before.index;
	join->probe_seconds = join->join.seconds.probe - before.probe;
	join->postings = (double) join->join.posting_count;
	join->pairs_met = count_met(&join->join.counters) - met;
	join->pairs_found = (double) join->join.pair_count;
	SimilarityJoinNoteMemory(&join->join);
	return true;
}

void
SampleJoinEnd(SampleJoin *join)
{
	MemoryContext context = join->context;

	SimilarityJoinEnd(&join->join);
	MemoryContextDelete(context);
}
