/*
 * key_pairs.c
 *		Reading pairs of keys from a query.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "join/call/key_pairs.h"
#include "memory/join_memory.h"

/* The query must return these columns, in this order. */
enum
{
	COLUMN_A,
	COLUMN_B,
	COLUMN_SCORE,
	COLUMNS
};

static void
check_columns(const KeyPairs *pairs, TupleDesc columns)
{
	if (pairs->are_scored ? columns->natts == COLUMNS : columns->natts >= COLUMN_SCORE)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 pairs->are_scored
				 ? errmsg("%s must return three columns, two keys and a score", pairs->name)
				 : errmsg("%s must return two columns, the keys of a pair", pairs->name),
			 errdetail_plural("The query returns %d column.", "The query returns %d columns.",
							  columns->natts, columns->natts)));
}

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
begin_side(PairedKeys *side, MemoryContext parent, Oid type, Oid collation)
{
	MemoryContext context =
		AllocSetContextCreate(parent, "neardup keys of pairs", ALLOCSET_DEFAULT_SIZES);

	JoinKeysInit(&side->keys, context, NULL, type, collation, true);
	side->numbers = KeyNumbersCreate(&side->keys);
}

static void
begin_key_pairs(void *context, TupleDesc columns)
{
	KeyPairs *pairs = context;

	check_columns(pairs, columns);
	for (int i = 0; i < 2; i++)
	{
		Form_pg_attribute column = TupleDescAttr(columns, i);

		pairs->column_types[i] = JoinKeyColumnType(column, pairs->key_policy, pairs->key_type);
		if (i == 0 || pairs->two_sided)
			begin_side(&pairs->sides[i], pairs->context, pairs->column_types[i],
					   OidIsValid(pairs->collation) ? pairs->collation : column->attcollation);
	}
	if (pairs->are_scored)
		pairs->score_type = score_type_or_error(TupleDescAttr(columns, COLUMN_SCORE));
}

static double
score_as_float(Oid type, Datum value)
{
	switch (type)
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

static double
score_or_error(const KeyPairs *pairs, Datum value)
{
	double score = score_as_float(pairs->score_type, value);

	if (isnan(score))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("score of a pair must not be NaN"),
						errhint("A pair whose score is null is left out.")));
	return score;
}

static uint32
number_key(KeyPairs *pairs, int column, Datum key)
{
	PairedKeys *side = &pairs->sides[pairs->two_sided ? column : 0];
	bool is_new;

	/* Integer types may differ between the columns. */
	side->keys.type = pairs->column_types[column];
	return KeyNumbersOf(side->numbers, key, &is_new);
}

static bool
number_pair(void *context, TupleTableSlot *slot)
{
	KeyPairs *pairs = context;
	MemoryContext previous;
	RankedPair pair = {0};

	slot_getsomeattrs(slot, pairs->are_scored ? COLUMNS : COLUMN_SCORE);
	if (slot->tts_isnull[COLUMN_A] || slot->tts_isnull[COLUMN_B] ||
		(pairs->are_scored && slot->tts_isnull[COLUMN_SCORE]))
		return true;
	previous = MemoryContextSwitchTo(pairs->row_context);
	if (pairs->are_scored)
		pair.distance = -score_or_error(pairs, slot->tts_values[COLUMN_SCORE]);
	pair.a = number_key(pairs, 0, slot->tts_values[COLUMN_A]);
	pair.b = number_key(pairs, 1, slot->tts_values[COLUMN_B]);
	MemoryContextSwitchTo(previous);
	MemoryContextReset(pairs->row_context);
	if (pair.a == pair.b && !pairs->two_sided)
		return true;
	if (pairs->take != NULL)
		pairs->take(pairs->take_context, pair.a, pair.b);
	else
		*(RankedPair *) RecordFilePut(&pairs->pairs) = pair;
	return true;
}

static void
order_side(const KeyPairs *pairs, PairedKeys *side)
{
	if (!pairs->keeps_numbers)
		KeyNumbersFree(side->numbers);
	/* The wider of the two columns' types. */
	if (pairs->key_policy == KEYS_INTEGER)
		side->keys.type = INT8OID;
	KeyOrderInit(&side->order, &side->keys);
}

void
KeyPairsRead(KeyPairs *pairs, const char *query)
{
	pairs->context = CurrentMemoryContext;
	pairs->row_context =
		AllocSetContextCreate(pairs->context, "neardup pair", ALLOCSET_DEFAULT_SIZES);
	RecordFileInit(&pairs->pairs, pairs->context, sizeof(RankedPair),
				   (Size) JoinSortMemory() * 1024);
	QueryReceiverInit(&pairs->receiver, begin_key_pairs, number_pair, pairs);
	JoinRunQuery(pairs->name, pairs->are_scored ? "a, b, score" : "a, b", query,
				 &pairs->receiver.dest);
	order_side(pairs, &pairs->sides[0]);
	if (pairs->two_sided)
		order_side(pairs, &pairs->sides[1]);
}

bool
KeyPairsTake(KeyPairs *pairs, RankedPair *pair)
{
	const RankedPair *stored = RecordFileTake(&pairs->pairs);

	CHECK_FOR_INTERRUPTS();
	if (stored == NULL)
	{
		RecordFileEnd(&pairs->pairs);
		return false;
	}
	pair->a = KeyPairsSide(pairs, 0)->order.ranks[stored->a];
	pair->b = KeyPairsSide(pairs, 1)->order.ranks[stored->b];
	pair->distance = stored->distance;
	return true;
}
