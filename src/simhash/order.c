/*
 * order.c
 *		Order, equality, hash and distance of simhashes.
 *
 * The order is that of unsigned numbers, and so that of the text forms.
 */
#include "postgres.h"

#include "utils/sortsupport.h"

#include "simhash/simhash.h"
#include "tokenset/token_hash.h"

PG_FUNCTION_INFO_V1(simhash_eq);
PG_FUNCTION_INFO_V1(simhash_ne);
PG_FUNCTION_INFO_V1(simhash_lt);
PG_FUNCTION_INFO_V1(simhash_le);
PG_FUNCTION_INFO_V1(simhash_gt);
PG_FUNCTION_INFO_V1(simhash_ge);
PG_FUNCTION_INFO_V1(simhash_cmp);
PG_FUNCTION_INFO_V1(simhash_sortsupport);
PG_FUNCTION_INFO_V1(simhash_hash);
PG_FUNCTION_INFO_V1(simhash_hash_extended);
PG_FUNCTION_INFO_V1(simhash_distance);
PG_FUNCTION_INFO_V1(simhash_distance_float8);
PG_FUNCTION_INFO_V1(simhash_within);

Datum
simhash_eq(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(PG_GETARG_SIMHASH(0) == PG_GETARG_SIMHASH(1));
}

Datum
simhash_ne(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(PG_GETARG_SIMHASH(0) != PG_GETARG_SIMHASH(1));
}

Datum
simhash_lt(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(PG_GETARG_SIMHASH(0) < PG_GETARG_SIMHASH(1));
}

Datum
simhash_le(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(PG_GETARG_SIMHASH(0) <= PG_GETARG_SIMHASH(1));
}

Datum
simhash_gt(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(PG_GETARG_SIMHASH(0) > PG_GETARG_SIMHASH(1));
}

Datum
simhash_ge(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(PG_GETARG_SIMHASH(0) >= PG_GETARG_SIMHASH(1));
}

static int
compare(Datum x, Datum y, SortSupport support)
{
	Simhash a = DatumGetSimhash(x);
	Simhash b = DatumGetSimhash(y);

	return a < b ? -1 : a > b;
}

Datum
simhash_cmp(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(compare(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1), NULL));
}

Datum
simhash_sortsupport(PG_FUNCTION_ARGS)
{
	((SortSupport) PG_GETARG_POINTER(0))->comparator = compare;
	PG_RETURN_VOID();
}

/* The low half of the extended hash with seed 0, as hash operator classes must have it. */
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

/* The operator <~>, which returns what ORDER BY by an index needs. */
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
