/*
 * function_behind.c
 *		Recognizes calls of the extension's functions in the expressions of a query, and finds the
 *		functions themselves.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_proc.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
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

bool
UserMayCall(Oid function)
{
#if PG_VERSION_NUM >= 160000
	return object_aclcheck(ProcedureRelationId, function, GetUserId(), ACL_EXECUTE) == ACLCHECK_OK;
#else
	return pg_proc_aclcheck(function, GetUserId(), ACL_EXECUTE) == ACLCHECK_OK;
#endif
}

Oid
FunctionInSchema(Oid schema, const char *name, const Oid *types, int count)
{
	Oid function =
		GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name),
						PointerGetDatum(buildoidvector(types, count)), ObjectIdGetDatum(schema));

	return OidIsValid(function) && UserMayCall(function) ? function : InvalidOid;
}

Oid
FunctionBeside(Oid other, const char *name, const Oid *types, int count)
{
	return FunctionInSchema(get_func_namespace(other), name, types, count);
}

#if PG_VERSION_NUM >= 160000
static Oid
schema_of_extension(Oid extension)
{
	return get_extension_schema(extension);
}
#else
static Oid
schema_of_extension(Oid extension)
{
	Relation relation = table_open(ExtensionRelationId, AccessShareLock);
	Oid schema = InvalidOid;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;

	ScanKeyInit(&key, Anum_pg_extension_oid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(extension));
	scan = systable_beginscan(relation, ExtensionOidIndexId, true, NULL, 1, &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
		schema = ((Form_pg_extension) GETSTRUCT(tuple))->extnamespace;
	systable_endscan(scan);
	table_close(relation, AccessShareLock);
	return schema;
}
#endif

Oid
OperatorOfClass(Oid opfamily, Node *left, Node *right, int strategy)
{
	Oid operator= get_opfamily_member(opfamily, exprType(left), exprType(right), (int16) strategy);

	return OidIsValid(operator) && UserMayCall(get_opcode(operator)) ? operator: InvalidOid;
}

Oid
NeardupSchema(void)
{
	Oid extension = get_extension_oid("neardup", true);

	return OidIsValid(extension) ? schema_of_extension(extension) : InvalidOid;
}

List *
ArgumentsOfCall(Node *expression, PGFunction function, int arguments)
{
	const FuncExpr *call = (const FuncExpr *) expression;

	if (!IsA(expression, FuncExpr) || FunctionBehind(call->funcid, arguments) != function)
		return NIL;
	return call->args;
}
