/*
 * row_sample.c
 *		Takes a random sample of the rows of a query.
 *
 * The rows are read for a limited time. If that is too short for all of them, and the query is of
 * one table, it is run again on a random part of the table, as large as the first run suggests.
 *
 * Each row that is read draws a number from 0 to 1, and is taken if the number is below a limit.
 * The limit is 1 at first, and is halved when the sample is full; rows that are no longer below it
 * are dropped. So the sample is random whatever the order of rows, and its rows below any smaller
 * limit are a random sample, too.
 */
#include "postgres.h"

#include "common/pg_prng.h"
#include "storage/itemptr.h"
#include "utils/memutils.h"

#include "kinds/sets/set_rows.h"
#include "join/sample/row_sample.h"

/* Limits of a full sample, which bound its memory; it keeps at least LEAST_ROWS, however large. */
#define MOST_TOKENS 4000000
#define MOST_ROWS 500000
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

/* Halves the limit, and drops the rows that are not below it. */
static void
drop_half(RowSample *sample)
{
	uint64 kept = 0;

	sample->draws /= 2;
	sample->token_count = 0;
	for (uint64 i = 0; i < sample->row_count; i++)
	{
		SampledRow *row = &sample->rows[i];

		if (row->draw >= sample->draws)
		{
			pfree(row->tokens);
			continue;
		}
		sample->token_count += row->count;
		sample->rows[kept++] = *row;
	}
	sample->row_count = kept;
}

static void
sample_add_row(RowSample *sample, const void *tokens, Size count, double draw)
{
	SampledRow *row;

	if (sample->row_count == sample->capacity)
	{
		sample->capacity *= 2;
		sample->rows = repalloc_huge(sample->rows, sample->capacity * sizeof(SampledRow));
	}
	row = &sample->rows[sample->row_count++];
	row->count = (uint32) count;
	row->block = sample->last_block;
	row->draw = draw;
	row->tokens = MemoryContextAllocHuge(sample->context, count * sizeof(Token));
	memcpy(row->tokens, tokens, count * sizeof(Token));
	sample->token_count += count;
	while ((sample->token_count > MOST_TOKENS || sample->row_count > MOST_ROWS) &&
		   sample->row_count > LEAST_ROWS)
		drop_half(sample);
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

static void
begin_sample(void *context, const ReaderSpec *spec, TupleDesc columns)
{
	(void) ReaderKeyType(spec, columns);
}

/* Takes a row from the reader; returns false when the time is over. */
static bool
sample_take_row(void *context, TupleTableSlot *slot, const JoinRow *row)
{
	RowSample *sample = context;
	double draw = pg_prng_double(&pg_global_prng_state);

	if (sample->rows_seen % ROWS_PER_LOOK == 0 && SecondsSince(sample->begun) > sample->limit)
	{
		sample->is_cut = true;
		return false;
	}
	sample->rows_seen++;
	if (sample->of_query.blocks > 0)
		see_block(sample, slot);
	sample->sets_seen += row->count > 0;
	if (row->count > 0 && draw < sample->draws)
		sample_add_row(sample, row->data, row->count, draw);
	return true;
}

/* Runs the query, on this percentage of its table, for at most `limit` seconds. */
static void
sample_read_rows(RowSample *sample, const ReaderSpec *reader, const char *query, double percent,
				 double limit)
{
	RowSink sink = {.kind = &set_rows,
					.sample = &sample->of_query,
					.context = sample,
					.begin = begin_sample,
					.take = sample_take_row};

	if (sample->context != NULL)
		RowSampleFree(sample);
	memset(sample, 0, sizeof(*sample));
	sample->context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup sample", ALLOCSET_DEFAULT_SIZES);
	sample->capacity = 1024;
	sample->rows = MemoryContextAlloc(sample->context, sample->capacity * sizeof(SampledRow));
	sample->draws = 1;
	sample->of_query.percent = percent;
	sample->limit = limit;
	INSTR_TIME_SET_CURRENT(sample->begun);
	JoinReadQuery(&sink, reader, query);
	sample->read_seconds = SecondsSince(sample->begun);
}

/*
 * Returns the share of the table that the second run has read. If it ended in time, it read the
 * share that it was asked for, on average. The number of blocks seen is more exact, but leaves out
 * blocks without a row of the query: it is used where blocks have several rows.
 */
static double
share_read(const RowSample *sample)
{
	const QuerySample *of_query = &sample->of_query;
	double asked = of_query->percent / 100;
	double seen = (double) sample->blocks_seen / of_query->blocks;

	if (!of_query->by_block)
		return sample->is_cut ? asked * (sample->last_block + 1.0) / of_query->blocks : asked;
	if (sample->is_cut || sample->rows_seen >= ROWS_OF_FULL_BLOCK * sample->blocks_seen)
		return seen;
	return asked;
}

void
RowSampleRead(RowSample *sample, const ReaderSpec *reader, const char *query)
{
	double share = 1;

	memset(sample, 0, sizeof(*sample));
	sample_read_rows(sample, reader, query, 100, FIRST_SECONDS);
	if (sample->is_cut && sample->of_query.blocks > 0)
	{
		sample_read_rows(sample, reader, query,
						 100 * PART_OF_BLOCKS * sample->blocks_seen / sample->of_query.blocks,
						 SECOND_SECONDS);
		share = Max(Min(share_read(sample), 1), 1e-9);
	}
	else if (sample->is_cut)
		share = sample->rows_seen / Max(sample->of_query.expected_rows, sample->rows_seen);
	sample->share = share;
	sample->query_rows = sample->rows_seen / share;
	sample->read_seconds /= share;
}

void
RowSampleFree(RowSample *sample)
{
	MemoryContextDelete(sample->context);
	sample->context = NULL;
}
