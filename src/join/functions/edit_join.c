/*
 * edit_join.c
 *		The SQL functions of the join by edit distance.
 */
#include "postgres.h"

#include "join/results/arguments.h"
#include "join/results/return_pairs.h"
#include "kernel/edit/edit_grams.h"
#include "kernel/edit/edit_records.h"
#include "strings/strings.h"

PG_FUNCTION_INFO_V1(edit_join);
PG_FUNCTION_INFO_V1(edit_join_keyed);

/* Arguments: [key type,] query [, query], max_distance. */
static Datum
return_pairs(FunctionCallInfo fcinfo, KeyPolicy key_policy)
{
	JoinRequest request = {.task = {.algorithm = JOIN_EDIT}, .reader = {.reads_texts = true}};
	int next = JoinQueryArguments(fcinfo, key_policy, 1, &request);

	/* The length of the grams is chosen when the texts have been read. */
	request.task.predicate = EditJoinPredicate(
		MaxEditDistanceOrError(DatumGetInt32(JoinArgumentOrError(fcinfo, next, "max_distance"))),
		EDIT_MIN_GRAM_LENGTH);
	return JoinReturnPairs(fcinfo, &request, Int4ValueColumn);
}

Datum
edit_join(PG_FUNCTION_ARGS)
{
	return return_pairs(fcinfo, KEYS_INTEGER);
}

Datum
edit_join_keyed(PG_FUNCTION_ARGS)
{
	return return_pairs(fcinfo, KEYS_OF_TYPE);
}
