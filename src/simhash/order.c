/*
 * order.c
 *		Order, equality and hash of simhashes, as unsigned numbers.
 */
#include "postgres.h"

#include "utils/sortsupport.h"

#include "comparison.h"
#include "simhash/simhash.h"
#include "sketch/token_hash.h"

PG_FUNCTION_INFO_V1(simhash_sortsupport);

/* The comparator of a sort, which needs nothing of the sort. */
static int
simhash_compare(Datum x, Datum y, SortSupport support)
{
	Simhash a = DatumGetSimhash(x);
	Simhash b = DatumGetSimhash(y);

	return a < b ? -1 : a > b;
}

static int
simhash_compare_arguments(FunctionCallInfo fcinfo)
{
	return simhash_compare(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1), NULL);
}

EQUALITY_FUNCTIONS(simhash, simhash_compare_arguments);
ORDER_FUNCTIONS(simhash, simhash_compare_arguments);

Datum
simhash_sortsupport(PG_FUNCTION_ARGS)
{
	((SortSupport) PG_GETARG_POINTER(0))->comparator = simhash_compare;
	PG_RETURN_VOID();
}

static uint64
simhash_hash_datum(Datum value, uint64 seed)
{
	return TokenHash((int64) DatumGetSimhash(value), seed);
}

HASH_FUNCTIONS(simhash, simhash_hash_datum);
