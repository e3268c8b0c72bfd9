/*
 * function_behind.h
 *		Recognizes calls of the extension's functions in the expressions of a query, and finds the
 *		functions themselves.
 *
 * The name of a function says nothing: users may have functions of the same name, or of the same
 * types. Its C function does.
 */
#ifndef NEARDUP_FUNCTION_BEHIND_H
#define NEARDUP_FUNCTION_BEHIND_H

#include "fmgr.h"
#include "nodes/pg_list.h"

/*
 * Returns the C function behind a function with this number of arguments; NULL if it has another
 * number or cannot be of this extension.
 */
extern PGFunction FunctionBehind(Oid function, int arguments);

/* Returns whether the user may call a function. */
extern bool UserMayCall(Oid function);

/*
 * Return a function in a schema, or in the schema of another one; InvalidOid if there is none, or if the
 * user may not call it, whose query is then planned without it.
 */
extern Oid FunctionInSchema(Oid schema, const char *name, const Oid *types, int count);
extern Oid FunctionBeside(Oid other, const char *name, const Oid *types, int count);

/*
 * Returns the operator of an operator family that has this number and takes these expressions; InvalidOid
 * if there is none, or if the user may not call its function.
 */
extern Oid OperatorOfClass(Oid opfamily, Node *left, Node *right, int strategy);

/* Returns the schema of the extension neardup; InvalidOid where the database does not have it. */
extern Oid NeardupSchema(void);

/*
 * Returns the arguments of an expression that calls this C function with this number of arguments,
 * at least one; NIL for any other expression.
 */
extern List *ArgumentsOfCall(Node *expression, PGFunction function, int arguments);

#endif
