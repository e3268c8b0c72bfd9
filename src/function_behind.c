/*
 * function_behind.c
 *		Recognizes calls of the extension's functions in the expressions of a query, and finds the
 *		functions themselves.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "miscadmin.h"
#include "nodes/primnodes.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "function_behind.h"

PGFunction
FunctionBehind(Oid function, int arguments)
{
	FmgrInfo info;

	if (function < FirstNormalObjectId || get_func_nargs(function) != arguments)
		return NULL;
	fmgr_info(function, &info);
	return info.fn_addr;
}

static bool
may_call(Oid function, Oid role)
{
#if PG_VERSION_NUM >= 160000
	return object_aclcheck(ProcedureRelationId, function, role, ACL_EXECUTE) == ACLCHECK_OK;
#else
	return pg_proc_aclcheck(function, role, ACL_EXECUTE) == ACLCHECK_OK;
#endif
}

Oid
FunctionBeside(Oid other, const char *name, const Oid *types, int count)
{
	Oid function = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name),
								   PointerGetDatum(buildoidvector(types, count)),
								   ObjectIdGetDatum(get_func_namespace(other)));

	return OidIsValid(function) && may_call(function, GetUserId()) ? function : InvalidOid;
}

List *
ArgumentsOfCall(Node *expression, PGFunction function, int arguments)
{
	const FuncExpr *call = (const FuncExpr *) expression;

	if (!IsA(expression, FuncExpr) || FunctionBehind(call->funcid, arguments) != function)
		return NIL;
	return call->args;
}
