/*
 * match_pairs.c
 *		The set-returning functions match_pairs: one to one, over scored pairs of any source.
 *
 * Keys get numbers as they occur, a and b apart. Pairs wait in a tuplestore until the order of all
 * keys is known, and are then sorted. Both spill, so memory grows only with the keys.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "allocate.h"
#include "join/rows/key_numbers.h"
#include "join/rows/key_order.h"
#include "cluster/pair.h"
#include "compat.h"
#include "join/results/arguments.h"
#include "join/results/pair_sort.h"
#include "join/results/result_set.h"
#include "join/rows/query.h"

PG_FUNCTION_INFO_V1(match_pairs);
PG_FUNCTION_INFO_V1(match_pairs_keyed);

#define QUERY "query of scored pairs"

/* Of the query, and of the result. */
enum
{
	COLUMN_A,
	COLUMN_B,
	COLUMN_SCORE,
	COLUMNS
};

/* Of the tuplestore. */
enum
{
	STORED_PAIR,
	STORED_SCORE,
	STORED_COLUMNS
};

/* The keys of a column. */
typedef struct MatchSide
{
	JoinKeys keys;
	KeyNumbers *numbers;
	KeyOrder order;
	bool *is_taken; /* by rank */
} MatchSide;

typedef struct MatchPairs
{
	DestReceiver dest; /* must be first */
	KeyPolicy key_policy;
	Oid key_type;			   /* for KEYS_OF_TYPE */
	MemoryContext context;	   /* of all below */
	MemoryContext row_context; /* of comparisons of keys */
	MatchSide sides[2];
	Oid score_type;
	Tuplestorestate *pairs;
	TupleTableSlot *pair_slot;
} MatchPairs;

static Oid
score_type_or_error(Form_pg_attribute attribute)
{
	Oid type = getBaseType(attribute->atttypid);

	switch (type)
	{
		case FLOAT8OID:
		case FLOAT4OID:
		case NUMERICOID:
		case INT8OID:
		case INT4OID:
		case INT2OID:
			return type;
		default:
			ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
							errmsg("score column of the query must be of a numeric type"),
							errdetail("Column \"%s\" is of type %s.", NameStr(attribute->attname),
									  format_type_be(attribute->atttypid))));
	}
}

static void
begin_side(MatchPairs *match, MatchSide *side, Form_pg_attribute column)
{
	MemoryContext key_context =
		AllocSetContextCreate(match->context, "neardup match keys", ALLOCSET_DEFAULT_SIZES);

	JoinKeysInit(&side->keys, key_context, NULL,
				 JoinKeyColumnType(column, match->key_policy, match->key_type),
				 column->attcollation, true);
	side->numbers = KeyNumbersCreate(&side->keys);
}

static void
receiver_startup(DestReceiver *self, int operation, TupleDesc columns)
{
	MatchPairs *match = (MatchPairs *) self;

	if (columns->natts != COLUMNS)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg(QUERY " must return three columns, two keys and a score"),
				 errdetail_plural("The query returns %d column.", "The query returns %d columns.",
								  columns->natts, columns->natts)));
	begin_side(match, &match->sides[0], TupleDescAttr(columns, COLUMN_A));
	begin_side(match, &match->sides[1], TupleDescAttr(columns, COLUMN_B));
	match->score_type = score_type_or_error(TupleDescAttr(columns, COLUMN_SCORE));
}

static double
score_of(const MatchPairs *match, Datum value)
{
	switch (match->score_type)
	{
		case FLOAT8OID:
			return DatumGetFloat8(value);
		case FLOAT4OID:
			return DatumGetFloat4(value);
		case NUMERICOID:
			return DatumGetFloat8(DirectFunctionCall1(numeric_float8, value));
		case INT8OID:
			return (double) DatumGetInt64(value);
		case INT4OID:
			return DatumGetInt32(value);
		default:
			return DatumGetInt16(value);
	}
}

static bool
receiver_receive(TupleTableSlot *slot, DestReceiver *self)
{
	MatchPairs *match = (MatchPairs *) self;
	TupleTableSlot *stored = match->pair_slot;
	uint32 numbers[2];
	MemoryContext previous;
	double score;

	slot_getallattrs(slot);
	if (slot->tts_isnull[COLUMN_A] || slot->tts_isnull[COLUMN_B] || slot->tts_isnull[COLUMN_SCORE])
		return true;
	previous = MemoryContextSwitchTo(match->row_context);
	score = score_of(match, slot->tts_values[COLUMN_SCORE]);
	if (isnan(score))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("score of a pair must not be NaN"),
						errhint("A pair whose score is null is left out.")));
	for (int i = 0; i < 2; i++)
	{
		bool is_new;

		numbers[i] = KeyNumbersOf(match->sides[i].numbers, slot->tts_values[COLUMN_A + i], &is_new);
	}
	MemoryContextSwitchTo(previous);
	MemoryContextReset(match->row_context);
	ExecClearTuple(stored);
	stored->tts_values[STORED_PAIR] = Int64GetDatum(PairPack(numbers[0], numbers[1]));
	stored->tts_values[STORED_SCORE] = Float8GetDatum(score);
	memset(stored->tts_isnull, 0, STORED_COLUMNS * sizeof(bool));
	ExecStoreVirtualTuple(stored);
	tuplestore_puttupleslot(match->pairs, stored);
	return true;
}

static void
receiver_nothing(DestReceiver *self)
{
}

static void
begin_pairs(MatchPairs *match)
{
	TupleDesc descriptor = CreateTemplateTupleDesc(STORED_COLUMNS);

	TupleDescInitEntry(descriptor, STORED_PAIR + 1, "pair", INT8OID, -1, 0);
	TupleDescInitEntry(descriptor, STORED_SCORE + 1, "score", FLOAT8OID, -1, 0);
	nd_finish_tuple_desc(descriptor);
	match->pair_slot = MakeSingleTupleTableSlot(descriptor, &TTSOpsVirtual);
	match->pairs = tuplestore_begin_heap(false, false, JoinStoreMemory());
}

static void
order_side(MatchSide *side)
{
	KeyNumbersFree(side->numbers);
	KeyOrderInit(&side->order, &side->keys);
	side->is_taken = AllocateArray(side->order.count, sizeof(bool));
	memset(side->is_taken, false, side->order.count * sizeof(bool));
}

/* By ranks of keys. */
static PairSort *
sort_pairs(MatchPairs *match)
{
	TupleTableSlot *slot =
		MakeSingleTupleTableSlot(match->pair_slot->tts_tupleDescriptor, &TTSOpsMinimalTuple);
	PairSort *sort = PairSortBegin(PAIRS_BY_DISTANCE, NULL, NULL);

	while (tuplestore_gettupleslot(match->pairs, true, false, slot))
	{
		RankedPair pair;
		int64 numbers;

		CHECK_FOR_INTERRUPTS();
		slot_getallattrs(slot);
		numbers = DatumGetInt64(slot->tts_values[STORED_PAIR]);
		pair.distance = -DatumGetFloat8(slot->tts_values[STORED_SCORE]);
		pair.a = match->sides[0].order.ranks[PairFirst(numbers)];
		pair.b = match->sides[1].order.ranks[PairSecond(numbers)];
		PairSortPut(sort, &pair);
	}
	ExecDropSingleTupleTableSlot(slot);
	tuplestore_end(match->pairs);
	PairSortPerform(sort);
	return sort;
}

static Datum
key_of_rank(const MatchPairs *match, int side, uint32 rank)
{
	const MatchSide *of_side = &match->sides[side];

	return JoinKeysResult(&of_side->keys, match->key_policy, of_side->order.by_rank[rank]);
}

static void
return_matched(ReturnSetInfo *result, MatchPairs *match, PairSort *sort)
{
	bool nulls[COLUMNS] = {false};
	RankedPair pair;

	while (PairSortNext(sort, &pair))
	{
		Datum values[COLUMNS];

		if (match->sides[0].is_taken[pair.a] || match->sides[1].is_taken[pair.b])
			continue;
		match->sides[0].is_taken[pair.a] = match->sides[1].is_taken[pair.b] = true;
		values[COLUMN_A] = key_of_rank(match, 0, pair.a);
		values[COLUMN_B] = key_of_rank(match, 1, pair.b);
		values[COLUMN_SCORE] = Float8GetDatum(-pair.distance);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
}

static Datum
return_pairs(FunctionCallInfo fcinfo, KeyPolicy key_policy)
{
	int next = key_policy == KEYS_OF_TYPE ? 1 : 0;
	const char *query = JoinTextArgumentOrError(fcinfo, next, "query");
	ReturnSetInfo *result = JoinMaterialize(fcinfo);
	MatchPairs match = {.key_policy = key_policy};
	MemoryContext previous;
	PairSort *sort;

	match.dest.receiveSlot = receiver_receive;
	match.dest.rStartup = receiver_startup;
	match.dest.rShutdown = receiver_nothing;
	match.dest.rDestroy = receiver_nothing;
	match.dest.mydest = DestTuplestore;
	if (key_policy == KEYS_OF_TYPE)
		match.key_type = JoinKeyTypeOrError(fcinfo);
	match.context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup match", ALLOCSET_DEFAULT_SIZES);
	match.row_context =
		AllocSetContextCreate(match.context, "neardup pair", ALLOCSET_DEFAULT_SIZES);
	previous = MemoryContextSwitchTo(match.context);
	begin_pairs(&match);
	JoinRunQuery(QUERY, query, &match.dest);
	order_side(&match.sides[0]);
	order_side(&match.sides[1]);
	sort = sort_pairs(&match);
	return_matched(result, &match, sort);
	PairSortEnd(sort);
	MemoryContextSwitchTo(previous);
	MemoryContextDelete(match.context);
	return (Datum) 0;
}

Datum
match_pairs(PG_FUNCTION_ARGS)
{
	return return_pairs(fcinfo, KEYS_INTEGER);
}

Datum
match_pairs_keyed(PG_FUNCTION_ARGS)
{
	return return_pairs(fcinfo, KEYS_OF_TYPE);
}
