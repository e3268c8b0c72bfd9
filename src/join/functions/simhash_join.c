/*
 * simhash_join.c
 *		The SQL functions of the join of simhashes.
 */
#include "postgres.h"

#include "join/call/arguments.h"
#include "join/call/return_pairs.h"
#include "kinds/simhash/simhash_rows.h"

PG_FUNCTION_INFO_V1(simhash_join);
PG_FUNCTION_INFO_V1(simhash_join_keyed);

/* Arguments: [key type,] query, max_distance, against. */
static Datum
return_simhash_pairs(FunctionCallInfo fcinfo, KeyPolicy key_policy)
{
	JoinRequest request = {.task = {.kind = &simhash_rows, .algorithm = JOIN_HAMMING}};
	int next = JoinQueryArguments(fcinfo, key_policy, &request);

	request.task.predicate = simhash_rows.predicate(
		MEASURE_HAMMING, DatumGetInt32(JoinArgumentOrError(fcinfo, next, "max_distance")));
	return JoinReturnPairs(fcinfo, &request, Int4ValueColumn);
}

Datum
simhash_join(PG_FUNCTION_ARGS)
{
	return return_simhash_pairs(fcinfo, KEYS_INTEGER);
}

Datum
simhash_join_keyed(PG_FUNCTION_ARGS)
{
	return return_simhash_pairs(fcinfo, KEYS_OF_TYPE);
}
