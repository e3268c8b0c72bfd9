/*
 * near_runs.c
 *		Joining runs with gaps.
 *
 * The runs are sorted by rows, then by places in the first row and in the second. Of two rows, each
 * run is appended to the sequence whose end is nearest before it in both rows, or begins one. A
 * sequence ends when the next run is beyond the gap in the first row.
 */
#include "postgres.h"

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/tuplesort.h"

#include "allocate.h"
#include "compat.h"
#include "join/passages/near_runs.h"

/* A run as a tuple of int8; two rows, or two characters, share a column. */
enum
{
	COLUMN_ROWS,
	COLUMN_A_PLACE,
	COLUMN_B_PLACE,
	COLUMN_WORDS,
	COLUMN_IN_A,
	COLUMN_IN_B,
	COLUMNS
};

#define SORT_COLUMNS 3

struct NearRuns
{
	uint64 max_gap;
	TupleDesc columns;
	TupleTableSlot *slot;
	Tuplesortstate *sort;

	/* Sequences that may go on: runs, of which a_end and b_end are the words after the last. */
	struct RunSequence *open;
	uint32 open_count;
	uint32 open_capacity;
};

typedef struct RunSequence
{
	CommonRun run;
	uint64 a_end;
	uint64 b_end;
} RunSequence;

static TupleDesc
run_columns(void)
{
	TupleDesc columns = CreateTemplateTupleDesc(COLUMNS);

	for (AttrNumber i = 1; i <= COLUMNS; i++)
		TupleDescInitEntry(columns, i, NULL, INT8OID, -1, 0);
	nd_finish_tuple_desc(columns);
	return columns;
}

NearRuns *
NearRunsBegin(uint32 max_gap)
{
	NearRuns *near = palloc0(sizeof(NearRuns));
	AttrNumber columns[SORT_COLUMNS] = {COLUMN_ROWS + 1, COLUMN_A_PLACE + 1, COLUMN_B_PLACE + 1};
	Oid operators[SORT_COLUMNS] = {Int8LessOperator, Int8LessOperator, Int8LessOperator};
	Oid collations[SORT_COLUMNS] = {InvalidOid, InvalidOid, InvalidOid};
	bool nulls_first[SORT_COLUMNS] = {false, false, false};

	near->max_gap = max_gap;
	near->columns = run_columns();
	near->slot = MakeSingleTupleTableSlot(near->columns, &TTSOpsVirtual);
	near->sort = tuplesort_begin_heap(near->columns, SORT_COLUMNS, columns, operators, collations,
									  nulls_first, work_mem, NULL, TUPLESORT_NONE);
	return near;
}

static Datum
two_numbers(uint32 high, uint32 low)
{
	return Int64GetDatum((int64) ((uint64) high << 32 | low));
}

void
NearRunsPut(NearRuns *near, const CommonRun *run)
{
	TupleTableSlot *slot = near->slot;

	ExecClearTuple(slot);
	memset(slot->tts_isnull, 0, COLUMNS * sizeof(bool));
	slot->tts_values[COLUMN_ROWS] = two_numbers(run->a, run->b);
	slot->tts_values[COLUMN_A_PLACE] = Int64GetDatum((int64) run->a_place);
	slot->tts_values[COLUMN_B_PLACE] = Int64GetDatum((int64) run->b_place);
	slot->tts_values[COLUMN_WORDS] = Int64GetDatum((int64) run->words);
	slot->tts_values[COLUMN_IN_A] = two_numbers(run->a_from, run->a_to);
	slot->tts_values[COLUMN_IN_B] = two_numbers(run->b_from, run->b_to);
	ExecStoreVirtualTuple(slot);
	tuplesort_puttupleslot(near->sort, slot);
}

static CommonRun
run_of_slot(TupleTableSlot *slot)
{
	uint64 numbers[COLUMNS];

	slot_getallattrs(slot);
	for (int i = 0; i < COLUMNS; i++)
		numbers[i] = (uint64) DatumGetInt64(slot->tts_values[i]);
	return (CommonRun){.a = (uint32) (numbers[COLUMN_ROWS] >> 32),
					   .b = (uint32) numbers[COLUMN_ROWS],
					   .a_place = numbers[COLUMN_A_PLACE],
					   .b_place = numbers[COLUMN_B_PLACE],
					   .words = numbers[COLUMN_WORDS],
					   .a_from = (uint32) (numbers[COLUMN_IN_A] >> 32),
					   .a_to = (uint32) numbers[COLUMN_IN_A],
					   .b_from = (uint32) (numbers[COLUMN_IN_B] >> 32),
					   .b_to = (uint32) numbers[COLUMN_IN_B]};
}

/* Takes the sequences that no run can follow any more: all of them if the run is NULL. */
static void
end_sequences(NearRuns *near, const CommonRun *run, TakeCommonRun take, void *context)
{
	uint32 kept = 0;

	for (uint32 i = 0; i < near->open_count; i++)
	{
		const RunSequence *sequence = &near->open[i];

		CHECK_FOR_INTERRUPTS();
		if (run != NULL && run->a == sequence->run.a && run->b == sequence->run.b &&
			run->a_place <= sequence->a_end + near->max_gap)
			near->open[kept++] = *sequence;
		else
			take(context, &sequence->run);
	}
	near->open_count = kept;
}

/* Returns the sequence that a run goes on, the first of those with the fewest words between. */
static RunSequence *
sequence_before(NearRuns *near, const CommonRun *run)
{
	RunSequence *nearest = NULL;
	uint64 least = 0;

	for (uint32 i = 0; i < near->open_count; i++)
	{
		RunSequence *sequence = &near->open[i];
		/* Of a run that begins before the end, the difference wraps around. */
		uint64 a_gap = run->a_place - sequence->a_end;
		uint64 b_gap = run->b_place - sequence->b_end;

		if (a_gap > near->max_gap || b_gap > near->max_gap)
			continue;
		if (nearest == NULL || a_gap + b_gap < least)
		{
			nearest = sequence;
			least = a_gap + b_gap;
		}
	}
	return nearest;
}

static void
add_run(NearRuns *near, const CommonRun *run)
{
	RunSequence *sequence = sequence_before(near, run);

	if (sequence == NULL)
	{
		ARRAY_MAKE_ROOM(near->open, near->open_count, near->open_capacity);
		sequence = &near->open[near->open_count++];
		sequence->run = *run;
	}
	else
	{
		sequence->run.words += run->words;
		sequence->run.a_to = run->a_to;
		sequence->run.b_to = run->b_to;
	}
	sequence->a_end = run->a_place + run->words;
	sequence->b_end = run->b_place + run->words;
}

void
NearRunsEnd(NearRuns *near, TakeCommonRun take, void *context)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(near->columns, &TTSOpsMinimalTuple);

	tuplesort_performsort(near->sort);
	while (tuplesort_gettupleslot(near->sort, true, false, slot, NULL))
	{
		CommonRun run = run_of_slot(slot);

		CHECK_FOR_INTERRUPTS();
		end_sequences(near, &run, take, context);
		add_run(near, &run);
	}
	end_sequences(near, NULL, take, context);
	tuplesort_end(near->sort);
	ExecDropSingleTupleTableSlot(slot);
	ExecDropSingleTupleTableSlot(near->slot);
	FreeTupleDesc(near->columns);
	if (near->open != NULL)
		pfree(near->open);
	pfree(near);
}
