/*
 * edit_query.c
 *		The type edit_query, and the operator @~ that applies it to a text.
 *
 * Only EXPLAIN shows values of the type, as edit_distance(x, "stone") <= 2. There is no input.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "compat.h"
#include "kinds/edit/edit_query.h"
#include "strings/strings.h"

PG_FUNCTION_INFO_V1(edit_query_in);
PG_FUNCTION_INFO_V1(edit_query_out);
PG_FUNCTION_INFO_V1(edit_query);
PG_FUNCTION_INFO_V1(edit_matches);

Datum
edit_query_in(PG_FUNCTION_ARGS)
{
	ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					errmsg("cannot accept a value of type %s", "edit_query"),
					errhint("Call edit_query(value, max_distance).")));
	PG_RETURN_NULL();
}

Datum
edit_query_out(PG_FUNCTION_ARGS)
{
	EditQuery *query = PG_GETARG_EDIT_QUERY(0);
	char *value = text_to_cstring(EditQueryValue(query));

	PG_RETURN_CSTRING(psprintf("edit_distance(x, \"%s\") <= %d", value, query->max_distance));
}

/*
 * edit_query(value, max_distance). Raises invalid_parameter_value for a negative distance, and
 * program_limit_exceeded for a text that no value has room for.
 */
Datum
edit_query(PG_FUNCTION_ARGS)
{
	text *value = PG_GETARG_TEXT_P(0);
	int32 max_distance = (int32) MaxEditDistanceOrError(PG_GETARG_INT32(1));
	Size size = offsetof(EditQuery, value) + VARSIZE(value);
	EditQuery *query;

	if (size > MaxAllocSize)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("text is too long to be compared")));
	query = palloc(size);
	SET_VARSIZE(query, size);
	query->max_distance = max_distance;
	memcpy(query->value, value, VARSIZE(value));
	PG_FREE_IF_COPY(value, 0);
	PG_RETURN_POINTER(query);
}

/* The operator text @~ edit_query. */
Datum
edit_matches(PG_FUNCTION_ARGS)
{
	EditQuery *query = PG_GETARG_EDIT_QUERY(1);
	Datum result =
		DirectFunctionCall3(edit_within, PG_GETARG_DATUM(0), PointerGetDatum(EditQueryValue(query)),
							Int32GetDatum(query->max_distance));

	PG_FREE_IF_COPY(query, 1);
	return result;
}
