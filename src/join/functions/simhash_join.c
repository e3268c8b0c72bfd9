/*
 * simhash_join.c
 *		The SQL functions of the join of simhashes.
 */
#include "postgres.h"

#include "join/call/arguments.h"
#include "join/call/return_pairs.h"
#include "kinds/simhash/simhash_rows.h"

PG_FUNCTION_INFO_V1(simhash_join);

/* Arguments: [key type,] query, max_distance, against. */
Datum
simhash_join(PG_FUNCTION_ARGS)
{
	JoinRequest request = {.task = {.kind = &simhash_rows, .algorithm = JOIN_HAMMING}};
	int next = JoinQueryArguments(fcinfo, &request);

	request.task.predicate = simhash_rows.predicate(
		MEASURE_HAMMING, DatumGetInt32(JoinArgumentOrError(fcinfo, next, "max_distance")));
	return JoinReturnPairs(fcinfo, &request, Int4ValueColumn);
}
