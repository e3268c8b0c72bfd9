/*
 * table_keys.c
 *		Checking the keys of the rows of a table.
 */
#include "postgres.h"

#include "cluster/table_keys.h"

#define MOST_ROWS PG_INT32_MAX

void
TableKeysAppend(JoinKeys *keys, const char *name, Datum key, bool isnull)
{
	if (isnull)
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("key column \"%s\" contains null values", name),
						errdetail("Each row must have a key, by which it can be told.")));
	if (keys->count == MOST_ROWS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("too many rows"),
						errdetail("There may be at most %d rows.", MOST_ROWS)));
	JoinKeysAppend(keys, key);
}

void
TableKeysOrder(KeyOrder *order, JoinKeys *keys, const char *name)
{
	uint32 repeated;

	KeyOrderInit(order, keys);
	if (KeyOrderRepeated(order, keys, keys->count, &repeated))
		ereport(
			ERROR,
			(errcode(ERRCODE_UNIQUE_VIOLATION), errmsg("key column \"%s\" is not unique", name),
			 errdetail("Key (%s)=(%s) occurs more than once.", name, JoinKeyText(keys, repeated))));
}
