/*
 * match_pairs.c
 *		The set-returning functions match_pairs: one to one, over scored pairs of any source.
 *
 * Of the pairs of two keys that are still free, the one with the highest score is taken, until there
 * is none. Keys of a and keys of b are keys of different things.
 */
#include "postgres.h"

#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "allocate.h"
#include "join/call/key_pairs.h"
#include "compat.h"
#include "join/call/arguments.h"
#include "join/call/result_set.h"

PG_FUNCTION_INFO_V1(match_pairs);

/* Columns of the result. */
enum
{
	COLUMN_A,
	COLUMN_B,
	COLUMN_SCORE,
	COLUMNS
};

static PairSort *
sort_by_score(KeyPairs *pairs)
{
	PairSort *sort = PairSortBegin(PAIRS_BY_DISTANCE, NULL, NULL);
	RankedPair pair;

	while (KeyPairsTake(pairs, &pair))
		PairSortPut(sort, &pair);
	PairSortPerform(sort);
	return sort;
}

static bool *
none_taken(const KeyPairs *pairs, int side)
{
	Size count = KeyPairsSide(pairs, side)->order.count;
	bool *is_taken = AllocateArray(count, sizeof(bool));

	memset(is_taken, false, count * sizeof(bool));
	return is_taken;
}

static void
return_matched(ReturnSetInfo *result, const KeyPairs *pairs, PairSort *sort)
{
	bool *a_is_taken = none_taken(pairs, 0);
	bool *b_is_taken = none_taken(pairs, 1);
	bool nulls[COLUMNS] = {false};
	RankedPair pair;

	while (PairSortNext(sort, &pair))
	{
		double score = -pair.distance;
		Datum values[COLUMNS];

		if (a_is_taken[pair.a] || b_is_taken[pair.b])
			continue;
		a_is_taken[pair.a] = b_is_taken[pair.b] = true;
		values[COLUMN_A] = KeyPairsKey(pairs, 0, pair.a);
		values[COLUMN_B] = KeyPairsKey(pairs, 1, pair.b);
		values[COLUMN_SCORE] = nd_float8_datum(&score);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
}

Datum
match_pairs(PG_FUNCTION_ARGS)
{
	KeyPairs pairs = {.name = "query of scored pairs", .are_scored = true, .two_sided = true};
	int next = JoinKeyArgument(fcinfo, &pairs.key_policy, &pairs.key_type);
	const char *query = JoinTextArgumentOrError(fcinfo, next, "query");
	ReturnSetInfo *result = JoinMaterialize(fcinfo);
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup match", ALLOCSET_DEFAULT_SIZES);
	MemoryContext previous;
	PairSort *sort;

	previous = MemoryContextSwitchTo(context);
	KeyPairsRead(&pairs, query);
	sort = sort_by_score(&pairs);
	return_matched(result, &pairs, sort);
	PairSortEnd(sort);
	MemoryContextSwitchTo(previous);
	MemoryContextDelete(context);
	return (Datum) 0;
}
