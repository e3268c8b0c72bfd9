/*
 * pair_sort.c
 *		Pairs in an array, which is emptied into a tuplesort when it has grown to half of work_mem.
 *
 * The array compares pairs by the columns of their order, one after the other. The tuplesort has
 * them as its keys, but has the two ends of PAIRS_BY_ENDS as one.
 */
#include "postgres.h"

#include "catalog/pg_operator_d.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/tuplesort.h"

#include "compat.h"
#include "join/memory/join_memory.h"
#include "join/call/pair_ends.h"
#include "join/call/pair_sort.h"

#define LEAST_CAPACITY 4096

/* Columns of the tuplesort. */
enum
{
	COLUMN_DISTANCE = 1,
	COLUMN_A,
	COLUMN_B,
	COLUMNS = COLUMN_B,
	COLUMN_ENDS = COLUMN_A, /* both ends as one integer, whose comparison is faster than two */
	COLUMNS_WITH_ENDS = COLUMN_ENDS
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

	/* Of PairSortNext: */
	uint32 next; /* place in the array of the next pair */
	bool has_previous;
	RankedPair previous; /* the pair before, if PAIRS_BY_ENDS */

	Tuplesortstate *tuples; /* NULL while the array suffices */
	TupleDesc descriptor;
	TupleTableSlot *slot; /* slot by which pairs are put */
	TupleTableSlot *sorted_slot;
};

#define ORDER_OF(x, y) (((x) > (y)) - ((x) < (y)))

static inline int
compare_pairs(const RankedPair *x, const RankedPair *y, const PairSort *sort)
{
	int by_distance = ORDER_OF(x->distance, y->distance);
	int by_a = ORDER_OF(x->a, y->a);
	int by_b = ORDER_OF(x->b, y->b);

	switch (sort->order)
	{
		case PAIRS_BY_DISTANCE:
			return by_distance != 0 ? by_distance : by_a != 0 ? by_a : by_b;
		case PAIRS_BY_ROW:
			return by_a != 0 ? by_a : by_distance != 0 ? by_distance : by_b;
		default:
			return by_a != 0 ? by_a : by_b != 0 ? by_b : by_distance;
	}
}

#define ST_SORT sort_ranked_pairs
#define ST_ELEMENT_TYPE RankedPair
#define ST_COMPARE(x, y, sort) compare_pairs(x, y, sort)
#define ST_COMPARE_ARG_TYPE const PairSort
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* Returns the memory in kilobytes of the array, and as much again of the tuplesort. */
static int
sort_memory(void)
{
	return JoinSortMemory() / 2;
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
		Min(Max((Size) sort_memory() * 1024 / sizeof(RankedPair), LEAST_CAPACITY), PG_UINT32_MAX);
	sort->pairs = palloc(sort->capacity * sizeof(RankedPair));
	return sort;
}

static TupleDesc
tuple_descriptor(PairOrder order)
{
	bool has_ends = order == PAIRS_BY_ENDS;
	TupleDesc descriptor = CreateTemplateTupleDesc(has_ends ? COLUMNS_WITH_ENDS : COLUMNS);

	TupleDescInitEntry(descriptor, COLUMN_DISTANCE, "distance", FLOAT8OID, -1, 0);
	if (has_ends)
		TupleDescInitEntry(descriptor, COLUMN_ENDS, "ends", INT8OID, -1, 0);
	else
	{
		TupleDescInitEntry(descriptor, COLUMN_A, "a", INT4OID, -1, 0);
		TupleDescInitEntry(descriptor, COLUMN_B, "b", INT4OID, -1, 0);
	}
	nd_finish_tuple_desc(descriptor);
	return descriptor;
}

static void
begin_tuples(PairSort *sort)
{
	/* By PairOrder, its columns from the first on, and their operators. */
	static const AttrNumber keys[][COLUMNS] = {
		[PAIRS_BY_DISTANCE] = {COLUMN_DISTANCE, COLUMN_A, COLUMN_B},
		[PAIRS_BY_ROW] = {COLUMN_A, COLUMN_DISTANCE, COLUMN_B},
		[PAIRS_BY_ENDS] = {COLUMN_ENDS, COLUMN_DISTANCE},
	};
	static const Oid operators_of[][COLUMNS] = {
		[PAIRS_BY_DISTANCE] = {Float8LessOperator, Int4LessOperator, Int4LessOperator},
		[PAIRS_BY_ROW] = {Int4LessOperator, Float8LessOperator, Int4LessOperator},
		[PAIRS_BY_ENDS] = {Int8LessOperator, Float8LessOperator},
	};
	AttrNumber columns[COLUMNS];
	Oid operators[COLUMNS];
	Oid collations[COLUMNS] = {InvalidOid, InvalidOid, InvalidOid};
	bool nulls_first[COLUMNS] = {false, false, false};
	MemoryContext previous = MemoryContextSwitchTo(sort->context);

	memcpy(columns, keys[sort->order], sizeof(columns));
	memcpy(operators, operators_of[sort->order], sizeof(operators));
	sort->descriptor = tuple_descriptor(sort->order);
	sort->slot = MakeSingleTupleTableSlot(sort->descriptor, &TTSOpsVirtual);
	memset(sort->slot->tts_isnull, 0, sort->descriptor->natts * sizeof(bool));
	sort->sorted_slot = MakeSingleTupleTableSlot(sort->descriptor, &TTSOpsMinimalTuple);
	sort->tuples = tuplesort_begin_heap(sort->descriptor, sort->descriptor->natts, columns,
										operators, collations, nulls_first, sort_memory(), NULL,
										sort->order == PAIRS_BY_ENDS ? TUPLESORT_RANDOMACCESS
																	 : TUPLESORT_NONE);
	MemoryContextSwitchTo(previous);
}

static void
put_tuple(PairSort *sort, const RankedPair *pair)
{
	TupleTableSlot *slot = sort->slot;
	int64 ends = PairEndsPack(pair->a, pair->b);

	ExecClearTuple(slot);
	slot->tts_values[COLUMN_DISTANCE - 1] = nd_float8_datum(&pair->distance);
	if (sort->order == PAIRS_BY_ENDS)
		slot->tts_values[COLUMN_ENDS - 1] = nd_int64_datum(&ends);
	else
	{
		slot->tts_values[COLUMN_A - 1] = Int32GetDatum((int32) pair->a);
		slot->tts_values[COLUMN_B - 1] = Int32GetDatum((int32) pair->b);
	}
	ExecStoreVirtualTuple(slot);
	tuplesort_puttupleslot(sort->tuples, slot);
}

static void
empty_array(PairSort *sort)
{
	if (sort->tuples == NULL)
		begin_tuples(sort);
	for (uint32 i = 0; i < sort->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		put_tuple(sort, &sort->pairs[i]);
	}
	sort->count = 0;
}

static void
reduce_array(PairSort *sort)
{
	sort_ranked_pairs(sort->pairs, sort->count, sort);
	sort->count = sort->reduce(sort->reduce_context, sort->pairs, sort->count);
}

/* Frees or adds most of the array, so that reducing it costs little for each pair. */
static void
make_room_for_pairs(PairSort *sort)
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
		make_room_for_pairs(sort);
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
		sort_ranked_pairs(sort->pairs, sort->count, sort);
}

static bool
next_tuple(PairSort *sort, RankedPair *pair)
{
	TupleTableSlot *slot = sort->sorted_slot;

	if (!tuplesort_gettupleslot(sort->tuples, true, false, slot, NULL))
		return false;
	slot_getallattrs(slot);
	pair->distance = DatumGetFloat8(slot->tts_values[COLUMN_DISTANCE - 1]);
	if (sort->order == PAIRS_BY_ENDS)
	{
		int64 ends = DatumGetInt64(slot->tts_values[COLUMN_ENDS - 1]);

		pair->a = PairEndsFirst(ends);
		pair->b = PairEndsSecond(ends);
	}
	else
	{
		pair->a = (uint32) DatumGetInt32(slot->tts_values[COLUMN_A - 1]);
		pair->b = (uint32) DatumGetInt32(slot->tts_values[COLUMN_B - 1]);
	}
	return true;
}

static bool
next_ranked_pair(PairSort *sort, RankedPair *pair)
{
	CHECK_FOR_INTERRUPTS();
	if (sort->tuples != NULL)
		return next_tuple(sort, pair);
	if (sort->next == sort->count)
		return false;
	*pair = sort->pairs[sort->next++];
	return true;
}

static bool
is_repeated(const PairSort *sort, const RankedPair *pair)
{
	return sort->has_previous && sort->previous.a == pair->a && sort->previous.b == pair->b;
}

bool
PairSortNext(PairSort *sort, RankedPair *pair)
{
	if (sort->order != PAIRS_BY_ENDS)
		return next_ranked_pair(sort, pair);
	do
	{
		if (!next_ranked_pair(sort, pair))
			return false;
	} while (is_repeated(sort, pair));
	sort->previous = *pair;
	sort->has_previous = true;
	return true;
}

void
PairSortRewind(PairSort *sort)
{
	Assert(sort->order == PAIRS_BY_ENDS);
	sort->next = 0;
	sort->has_previous = false;
	if (sort->tuples != NULL)
		tuplesort_rescan(sort->tuples);
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
