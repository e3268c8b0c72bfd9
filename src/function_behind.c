/*
 * function_behind.c
 *		Recognizes calls of the extension's functions in the expressions of a query.
 */
#include "postgres.h"

#include "access/transam.h"
#include "nodes/primnodes.h"
#include "utils/lsyscache.h"

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

List *
ArgumentsOfCall(Node *expression, PGFunction function, int arguments)
{
	const FuncExpr *call = (const FuncExpr *) expression;

	if (!IsA(expression, FuncExpr) || FunctionBehind(call->funcid, arguments) != function)
		return NIL;
	return call->args;
}
