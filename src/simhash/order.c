/*
 * order.c
 *		Order, equality and hash of simhashes, as unsigned numbers.
 */
#include "postgres.h"

#include "utils/sortsupport.h"

#include "comparison.h"
#include "simhash/simhash.h"
#include "sketch/token_hash.h"

PG_FUNCTION_INFO_V1(simhash_cmp);
PG_FUNCTION_INFO_V1(simhash_sortsupport);
PG_FUNCTION_INFO_V1(simhash_hash);
PG_FUNCTION_INFO_V1(simhash_hash_extended);

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

COMPARISON_FUNCTION(simhash_eq, simhash_compare_arguments, ==);
COMPARISON_FUNCTION(simhash_ne, simhash_compare_arguments, !=);
COMPARISON_FUNCTION(simhash_lt, simhash_compare_arguments, <);
COMPARISON_FUNCTION(simhash_le, simhash_compare_arguments, <=);
COMPARISON_FUNCTION(simhash_gt, simhash_compare_arguments, >);
COMPARISON_FUNCTION(simhash_ge, simhash_compare_arguments, >=);

Datum
simhash_cmp(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(simhash_compare_arguments(fcinfo));
}

Datum
simhash_sortsupport(PG_FUNCTION_ARGS)
{
	((SortSupport) PG_GETARG_POINTER(0))->comparator = simhash_compare;
	PG_RETURN_VOID();
}

/* Returns the low half of the extended hash with seed 0, as hash operator classes require. */
Datum
simhash_hash(PG_FUNCTION_ARGS)
{
	PG_RETURN_UINT32((uint32) TokenHash((int64) PG_GETARG_SIMHASH(0), 0));
}

Datum
simhash_hash_extended(PG_FUNCTION_ARGS)
{
	PG_RETURN_UINT64(TokenHash((int64) PG_GETARG_SIMHASH(0), (uint64) PG_GETARG_INT64(1)));
}
