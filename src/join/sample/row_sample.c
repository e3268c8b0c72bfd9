/*
 * row_sample.c
 *		Takes a random sample of the rows of a query.
 *
 * Each row that is read draws a number, at random or by the hash of its set, and is taken if the number
 * is below a limit. The limit is the greatest number at first. It is lowered when the next row would not
 * fit into the memory, and rows that are no longer below it are dropped. So the sample is random whatever
 * the order of rows, and its rows below any lower limit are a random sample, too.
 *
 * Where time is limited, too, and is too short for all rows of a query that is of one table, the query
 * is run again on a random part of the table, as large as the first run suggests.
 */
#include "postgres.h"

#include <xxhash.h>

#include "common/pg_prng.h"
#include "storage/itemptr.h"
#include "utils/memutils.h"

#include "join/sample/row_sample.h"
#include "kinds/sets/set_rows.h"

/* Each time the memory is full, this part of the limit is left. */
#define PART_LEFT 0.7

/* A sample of no more rows is kept, however large they are. */
#define LEAST_ROWS 64

/* The clock is read once for this many rows. */
#define ROWS_PER_LOOK 16

/* Time limits of the first run, and of the run on a part of the table. */
#define FIRST_SECONDS 0.5
#define SECOND_SECONDS 0.7

/*
 * The second run asks for this part of what the first one read. It takes longer, since its rows or
 * blocks are far from each other.
 */
#define PART_OF_BLOCKS 0.6

/* If blocks have this many rows of the query on average, hardly any block has none. */
#define ROWS_OF_FULL_BLOCK 8

double
SecondsSince(instr_time begun)
{
	instr_time now;

	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, begun);
	return INSTR_TIME_GET_DOUBLE(now);
}

static uint32
draw_of_set(const void *tokens, Size size)
{
	return (uint32) XXH3_64bits(tokens, size);
}

static void
check_key(void *context, TupleDesc columns)
{
	const RowSample *sample = context;

	(void) ReaderKeyType(&sample->request.reader, columns);
}

/* Notes the block of a row, which is its last column; counts blocks, whose rows come together. */
static void
see_block(RowSample *sample, TupleTableSlot *row)
{
	bool is_null;
	Datum ctid = slot_getattr(row, row->tts_tupleDescriptor->natts, &is_null);
	uint32 block = ItemPointerGetBlockNumberNoCheck((ItemPointer) DatumGetPointer(ctid));

	if (sample->blocks_seen == 0 || block != sample->last_block)
		sample->blocks_seen++;
	sample->last_block = block;
}

/* Has a row draw its number. */
static void
draw_row(void *context, TupleTableSlot *row, uint32 number)
{
	RowSample *sample = context;

	if (sample->of_query.blocks > 0)
		see_block(sample, row);
	sample->draws[number] = pg_prng_uint32(&pg_global_prng_state);
	sample->blocks[number] = sample->last_block;
}

static void
draw_set(void *context, uint32 group, const void *tokens, Size size)
{
	RowSample *sample = context;

	sample->draws[group] = draw_of_set(tokens, size);
}

static bool
is_below_limit(const void *context, int64 group)
{
	const RowSample *sample = context;

	return RowSampleDraws(sample->draws[group], sample->limit);
}

static void
lower_limit(RowSample *sample, double part)
{
	sample->limit *= part;
	SetRowsThin(&sample->join.input, is_below_limit, sample);
}

/* Drops rows until one more of this size fits. */
static void
sample_make_room(RowSample *sample, Size size)
{
	JoinInput *input = &sample->join.input;

	while (input->is_limited && !input->kind->fits(input, (uint32) Min(size, JOIN_MAX_RECORD_SIZE)))
	{
		if (input->keys.count <= LEAST_ROWS)
			input->is_limited = false;
		else
			lower_limit(sample, PART_LEFT);
	}
}

/* Whether the time is over. */
static bool
is_late(const RowSample *sample)
{
	return sample->is_timed && sample->rows_seen % ROWS_PER_LOOK == 0 &&
		   SecondsSince(sample->begun) > sample->seconds;
}

/* Returns whether a row comes into the sample. */
static bool
see_row(void *context, const JoinRow *row)
{
	RowSample *sample = context;
	uint32 draw;

	sample->rows.is_cut = is_late(sample);
	if (sample->rows.is_cut)
		return false;
	sample->rows_seen++;
	if (row->count == 0)
		return false;
	sample->sets_seen++;
	draw = sample->is_distinct ? draw_of_set(row->data, row->count * sizeof(int64))
							   : sample->draws[sample->rows.count - 1];
	if (!RowSampleDraws(draw, sample->limit))
		return false;
	sample_make_room(sample, row->count);
	return RowSampleDraws(draw, sample->limit);
}

static RowWishes
wishes_of_sample(RowSample *sample)
{
	RowWishes wishes = {.kind = sample->request.task.kind, .context = sample, .see = see_row};

	if (sample->is_timed)
	{
		wishes.sample = &sample->of_query;
		wishes.begin = check_key;
	}
	RowArraysAdd(&wishes.by_group, &sample->draws, sizeof(uint32));
	wishes.has_groups = sample->is_distinct;
	if (sample->is_distinct)
	{
		wishes.begin_group = draw_set;
		return wishes;
	}
	wishes.note = draw_row;
	RowArraysAdd(&wishes.by_group, &sample->blocks, sizeof(uint32));
	return wishes;
}

/* Runs the query on this percentage of its table, for at most `seconds` if time is limited. */
static void
sample_read_rows(RowSample *sample, double percent, double seconds)
{
	RowWishes wishes = wishes_of_sample(sample);
	MemoryContext previous;

	if (sample->context != NULL)
		RowSampleEnd(sample);
	sample->context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup sample", ALLOCSET_DEFAULT_SIZES);
	sample->draws = sample->blocks = NULL;
	sample->limit = 1;
	sample->rows_seen = sample->sets_seen = sample->blocks_seen = 0;
	sample->of_query = (QuerySample){.percent = percent};
	sample->passes = (JoinPasses){.join = &sample->join, .task = &sample->request.task};
	sample->seconds = seconds;
	INSTR_TIME_SET_CURRENT(sample->begun);
	previous = MemoryContextSwitchTo(sample->context);
	CallRowsRead(&sample->rows, &wishes, &sample->join, &sample->request);
	MemoryContextSwitchTo(previous);
	sample->read_seconds = SecondsSince(sample->begun);
}

/*
 * Returns the share of the table that the second run has read. If it ended in time, it read the
 * share that it was asked for, on average. The number of blocks seen is more exact, but leaves out
 * blocks without a row of the query: it is used where blocks have several rows.
 */
static double
share_of_table(const RowSample *sample)
{
	const QuerySample *of_query = &sample->of_query;
	double asked = of_query->percent / 100;
	double seen = (double) sample->blocks_seen / of_query->blocks;

	if (!of_query->by_block)
		return sample->rows.is_cut ? asked * (sample->last_block + 1.0) / of_query->blocks : asked;
	if (sample->rows.is_cut || sample->rows_seen >= ROWS_OF_FULL_BLOCK * sample->blocks_seen)
		return seen;
	return asked;
}

static double
share_read(const RowSample *sample)
{
	if (sample->of_query.percent < 100)
		return Max(Min(share_of_table(sample), 1), 1e-9);
	if (sample->rows.is_cut)
		return sample->rows_seen / Max(sample->of_query.expected_rows, sample->rows_seen);
	return 1;
}

static void
set_drawn(RowSample *sample)
{
	sample->drawn = sample->is_distinct
						? sample->limit
						: Max(RowSampleCount(sample), 1) / (double) Max(sample->sets_seen, 1);
}

void
RowSampleRead(RowSample *sample)
{
	sample_read_rows(sample, 100, FIRST_SECONDS);
	if (sample->rows.is_cut && sample->of_query.blocks > 0)
		sample_read_rows(sample,
						 100 * PART_OF_BLOCKS * sample->blocks_seen / sample->of_query.blocks,
						 SECOND_SECONDS);
	sample->share = share_read(sample);
	sample->query_rows = sample->rows_seen / sample->share;
	sample->read_seconds /= sample->share;
	set_drawn(sample);
}

void
RowSampleShrink(RowSample *sample, double part)
{
	lower_limit(sample, part);
	SimilarityJoinReadAgain(&sample->join);
	set_drawn(sample);
}

void
RowSampleEnd(RowSample *sample)
{
	SimilarityJoinEnd(&sample->join);
	MemoryContextDelete(sample->context);
	sample->context = NULL;
}
