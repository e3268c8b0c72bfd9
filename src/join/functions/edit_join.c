/*
 * edit_join.c
 *		The SQL functions of the join by edit distance.
 */
#include "postgres.h"

#include "join/call/arguments.h"
#include "join/call/return_pairs.h"
#include "kinds/edit/text_rows.h"

PG_FUNCTION_INFO_V1(edit_join);

/* Arguments: [key type,] query, max_distance, against. */
Datum
edit_join(PG_FUNCTION_ARGS)
{
	JoinRequest request = {.task = {.kind = &text_rows, .algorithm = JOIN_EDIT}};
	int next = JoinQueryArguments(fcinfo, &request);

	request.task.predicate = text_rows.predicate(
		MEASURE_EDIT, DatumGetInt32(JoinArgumentOrError(fcinfo, next, "max_distance")));
	return JoinReturnPairs(fcinfo, &request, Int4ValueColumn);
}
