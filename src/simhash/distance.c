/*
 * distance.c
 *		The Hamming distance of simhashes, as SQL functions.
 */
#include "postgres.h"

#include "simhash/distance.h"
#include "simhash/simhash.h"

PG_FUNCTION_INFO_V1(simhash_distance);
PG_FUNCTION_INFO_V1(simhash_distance_float8);
PG_FUNCTION_INFO_V1(simhash_within);

Datum
simhash_distance(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(SimhashDistance(PG_GETARG_SIMHASH(0), PG_GETARG_SIMHASH(1)));
}

/* The operator <~>. It returns float8 because an index can only order by that. */
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
