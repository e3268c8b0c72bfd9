/*
 * order.c
 *		Unsigned order, equality, hash and distance of simhashes.
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
PG_FUNCTION_INFO_V1(simhash_distance);
PG_FUNCTION_INFO_V1(simhash_distance_float8);
PG_FUNCTION_INFO_V1(simhash_within);

static int
compare(Datum x, Datum y, SortSupport support)
{
	Simhash a = DatumGetSimhash(x);
	Simhash b = DatumGetSimhash(y);

	return a < b ? -1 : a > b;
}

static int
compare_arguments(FunctionCallInfo fcinfo)
{
	return compare(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1), NULL);
}

COMPARISON_FUNCTION(simhash_eq, compare_arguments, ==);
COMPARISON_FUNCTION(simhash_ne, compare_arguments, !=);
COMPARISON_FUNCTION(simhash_lt, compare_arguments, <);
COMPARISON_FUNCTION(simhash_le, compare_arguments, <=);
COMPARISON_FUNCTION(simhash_gt, compare_arguments, >);
COMPARISON_FUNCTION(simhash_ge, compare_arguments, >=);

Datum
simhash_cmp(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(compare_arguments(fcinfo));
}

Datum
simhash_sortsupport(PG_FUNCTION_ARGS)
{
	((SortSupport) PG_GETARG_POINTER(0))->comparator = compare;
	PG_RETURN_VOID();
}

/* The low half of the extended hash with seed 0, as hash operator classes require. */
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

Datum
simhash_distance(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(SimhashDistance(PG_GETARG_SIMHASH(0), PG_GETARG_SIMHASH(1)));
}

/* The operator <~>, with the result type of ORDER BY by an index. */
Datum
simhash_distance_float8(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(SimhashDistance(PG_GETARG_SIMHASH(0), PG_GETARG_SIMHASH(1)));
}

int32
SimhashMaxDistanceOrError(int32 distance)
{
	if (distance < 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("maximum Hamming distance must not be negative"),
						errdetail("The distance is %d.", distance),
						errhint("A distance of 0 finds equal values.")));
	return distance;
}

Datum
simhash_within(PG_FUNCTION_ARGS)
{
	int32 max_distance = SimhashMaxDistanceOrError(PG_GETARG_INT32(2));

	PG_RETURN_BOOL(SimhashDistance(PG_GETARG_SIMHASH(0), PG_GETARG_SIMHASH(1)) <= max_distance);
}
