/*
 * arguments.c
 *		Arguments of cluster functions.
 */
#include "postgres.h"

#include "access/table.h"
#include "storage/lockdefs.h"
#include "utils/builtins.h"

#include "cluster/arguments.h"
#include "join/results/arguments.h"

Datum
ClusterArgumentOrError(FunctionCallInfo fcinfo, int number, const char *name)
{
	if (PG_ARGISNULL(number))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("%s of %s must not be null", name, JoinFunctionName(fcinfo))));
	return PG_GETARG_DATUM(number);
}

char *
ClusterTextArgumentOrError(FunctionCallInfo fcinfo, int number, const char *name)
{
	return TextDatumGetCString(ClusterArgumentOrError(fcinfo, number, name));
}

Relation
ClusterRelationOrError(Oid oid)
{
	Relation relation = try_table_open(oid, AccessShareLock);

	if (relation == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
						errmsg("relation with OID %u does not exist", oid)));
	return relation;
}
