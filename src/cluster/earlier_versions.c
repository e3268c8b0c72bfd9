/*
 * earlier_versions.c
 *		C functions that only install scripts of earlier versions name.
 *
 * A catalog of an earlier version calls them from when the library is replaced until ALTER EXTENSION
 * UPDATE, and CREATE EXTENSION ... VERSION looks for them.
 */
#include "postgres.h"

#include "fmgr.h"

PG_FUNCTION_INFO_V1(neardup_track_written);

/* Of 0.1.0: what the triggers of a tracked table called. */
Datum
neardup_track_written(PG_FUNCTION_ARGS)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("extension neardup must be updated before tracked tables can be written to"),
			 errhint("Run ALTER EXTENSION neardup UPDATE.")));
}
