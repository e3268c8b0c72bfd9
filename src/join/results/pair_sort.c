/*
 * pair_sort.c
 *		Pairs in an array, which is emptied into a tuplesort when it has grown to half of work_mem.
 */
#include "postgres.h"

#include "catalog/pg_operator_d.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/tuplesort.h"

#include "compat.h"
#include "join/results/pair_sort.h"

#define LEAST_CAPACITY 4096

enum
{
	COLUMN_DISTANCE = 1,
	COLUMN_A,
	COLUMN_B,
	COLUMNS = COLUMN_B
};

struct PairSort
{
	PairOrder order;
	ReducePairs reduce;
	void *reduce_context;
	MemoryContext context;
	RankedPair *pairs;
	uint32 count;
	uint32 capacity;
	uint32 greatest_capacity;
	uint32 next; /* of PairSortNext, from the array */

	Tuplesortstate *tuples; /* NULL while the array suffices */
	TupleDesc descriptor;
	TupleTableSlot *slot; /* of puts */
	TupleTableSlot *sorted_slot;
};

static inline int
compare_distances(const RankedPair *x, const RankedPair *y)
{
	return (x->distance > y->distance) - (x->distance < y->distance);
}

static inline int
compare_numbers(uint32 x, uint32 y)
{
	return (x > y) - (x < y);
}

static inline int
compare_pairs(const RankedPair *x, const RankedPair *y, const PairSort *sort)
{
	int by_distance = compare_distances(x, y);
	int by_a = compare_numbers(x->a, y->a);
	int first = sort->order == PAIRS_BY_ROW ? by_a : by_distance;
	int second = sort->order == PAIRS_BY_ROW ? by_distance : by_a;

	if (first != 0)
		return first;
	return second != 0 ? second : compare_numbers(x->b, y->b);
}

#define ST_SORT sort_array
#define ST_ELEMENT_TYPE RankedPair
#define ST_COMPARE(x, y, sort) compare_pairs(x, y, sort)
#define ST_COMPARE_ARG_TYPE const PairSort
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* In kilobytes, of the array and of the tuplesort. */
static int
sort_memory(void)
{
	return work_mem / 2;
}

PairSort *
PairSortBegin(PairOrder order, ReducePairs reduce, void *reduce_context)
{
	PairSort *sort = palloc0(sizeof(PairSort));

	sort->order = order;
	sort->reduce = reduce;
	sort->reduce_context = reduce_context;
	sort->context = CurrentMemoryContext;
	sort->capacity = LEAST_CAPACITY;
	sort->greatest_capacity =
		Max(LEAST_CAPACITY, (uint32) ((Size) sort_memory() * 1024 / sizeof(RankedPair)));
	sort->pairs = palloc(sort->capacity * sizeof(RankedPair));
	return sort;
}

/* Numbers are below 2^31. */
static void
begin_tuples(PairSort *sort)
{
	bool by_row = sort->order == PAIRS_BY_ROW;
	AttrNumber columns[COLUMNS] = {by_row ? COLUMN_A : COLUMN_DISTANCE,
								   by_row ? COLUMN_DISTANCE : COLUMN_A, COLUMN_B};
	Oid operators[COLUMNS];
	Oid collations[COLUMNS] = {InvalidOid, InvalidOid, InvalidOid};
	bool nulls_first[COLUMNS] = {false, false, false};
	MemoryContext previous = MemoryContextSwitchTo(sort->context);

	sort->descriptor = CreateTemplateTupleDesc(COLUMNS);
	TupleDescInitEntry(sort->descriptor, COLUMN_DISTANCE, "distance", FLOAT8OID, -1, 0);
	TupleDescInitEntry(sort->descriptor, COLUMN_A, "a", INT4OID, -1, 0);
	TupleDescInitEntry(sort->descriptor, COLUMN_B, "b", INT4OID, -1, 0);
	nd_finish_tuple_desc(sort->descriptor);
	for (int i = 0; i < COLUMNS; i++)
		operators[i] = columns[i] == COLUMN_DISTANCE ? Float8LessOperator : Int4LessOperator;
	sort->slot = MakeSingleTupleTableSlot(sort->descriptor, &TTSOpsVirtual);
	sort->sorted_slot = MakeSingleTupleTableSlot(sort->descriptor, &TTSOpsMinimalTuple);
	sort->tuples = tuplesort_begin_heap(sort->descriptor, COLUMNS, columns, operators, collations,
										nulls_first, sort_memory(), NULL, TUPLESORT_NONE);
	MemoryContextSwitchTo(previous);
}

static void
empty_array(PairSort *sort)
{
	TupleTableSlot *slot;

	if (sort->tuples == NULL)
		begin_tuples(sort);
	slot = sort->slot;
	for (uint32 i = 0; i < sort->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		ExecClearTuple(slot);
		slot->tts_values[COLUMN_DISTANCE - 1] = Float8GetDatum(sort->pairs[i].distance);
		slot->tts_values[COLUMN_A - 1] = Int32GetDatum((int32) sort->pairs[i].a);
		slot->tts_values[COLUMN_B - 1] = Int32GetDatum((int32) sort->pairs[i].b);
		memset(slot->tts_isnull, 0, COLUMNS * sizeof(bool));
		ExecStoreVirtualTuple(slot);
		tuplesort_puttupleslot(sort->tuples, slot);
	}
	sort->count = 0;
}

static void
reduce_array(PairSort *sort)
{
	sort_array(sort->pairs, sort->count, sort);
	sort->count = sort->reduce(sort->reduce_context, sort->pairs, sort->count);
}

/* Most of the array, so that reducing it costs little by pair. */
static void
make_room(PairSort *sort)
{
	if (sort->reduce != NULL)
		reduce_array(sort);
	if (sort->count <= sort->capacity / 4)
		return;
	if (sort->capacity == sort->greatest_capacity)
	{
		empty_array(sort);
		return;
	}
	sort->capacity = Min((uint64) sort->capacity * 2, sort->greatest_capacity);
	sort->pairs = repalloc_huge(sort->pairs, (Size) sort->capacity * sizeof(RankedPair));
}

void
PairSortPut(PairSort *sort, const RankedPair *pair)
{
	if (sort->count == sort->capacity)
		make_room(sort);
	sort->pairs[sort->count++] = *pair;
}

void
PairSortPerform(PairSort *sort)
{
	if (sort->tuples != NULL)
	{
		empty_array(sort);
		tuplesort_performsort(sort->tuples);
	}
	else
		sort_array(sort->pairs, sort->count, sort);
}

bool
PairSortNext(PairSort *sort, RankedPair *pair)
{
	bool isnull;

	CHECK_FOR_INTERRUPTS();
	if (sort->tuples == NULL)
	{
		if (sort->next == sort->count)
			return false;
		*pair = sort->pairs[sort->next++];
		return true;
	}
	if (!tuplesort_gettupleslot(sort->tuples, true, false, sort->sorted_slot, NULL))
		return false;
	pair->distance = DatumGetFloat8(slot_getattr(sort->sorted_slot, COLUMN_DISTANCE, &isnull));
	pair->a = (uint32) DatumGetInt32(slot_getattr(sort->sorted_slot, COLUMN_A, &isnull));
	pair->b = (uint32) DatumGetInt32(slot_getattr(sort->sorted_slot, COLUMN_B, &isnull));
	return true;
}

void
PairSortEnd(PairSort *sort)
{
	if (sort->tuples != NULL)
	{
		ExecDropSingleTupleTableSlot(sort->slot);
		ExecDropSingleTupleTableSlot(sort->sorted_slot);
		tuplesort_end(sort->tuples);
		FreeTupleDesc(sort->descriptor);
	}
	pfree(sort->pairs);
	pfree(sort);
}
