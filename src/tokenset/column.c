/*
 * column.c
 *		Input and output of the type tokenset_column, which EXPLAIN shows as schema.table.column.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "tokenset/column.h"

PG_FUNCTION_INFO_V1(tokenset_column_in);
PG_FUNCTION_INFO_V1(tokenset_column_out);

/* Raises feature_not_supported. */
Datum
tokenset_column_in(PG_FUNCTION_ARGS)
{
	ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					errmsg("cannot accept a value of type %s", "tokenset_column")));
	PG_RETURN_VOID();
}

/* Writes numbers in place of the names of a relation or column that has been dropped. */
Datum
tokenset_column_out(PG_FUNCTION_ARGS)
{
	const TokensetColumn *column = (const TokensetColumn *) PG_GETARG_POINTER(0);
	Datum relation = DirectFunctionCall1(regclassout, ObjectIdGetDatum(column->relation));
	char *name = get_attname(column->relation, (AttrNumber) column->number, true);

	PG_RETURN_CSTRING(name == NULL
						  ? psprintf("%s.%d", DatumGetCString(relation), column->number)
						  : psprintf("%s.%s", DatumGetCString(relation), quote_identifier(name)));
}
