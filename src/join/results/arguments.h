/*
 * arguments.h
 *		The arguments of the join functions.
 *
 * The functions are not STRICT: a NULL may give the type of the keys.
 */
#ifndef NEARDUP_JOIN_ARGUMENTS_H
#define NEARDUP_JOIN_ARGUMENTS_H

#include "fmgr.h"

#include "join/query_join.h"

/* An argument, counted from 0; null_value_not_allowed with this name if it is NULL. */
extern Datum JoinArgumentOrError(FunctionCallInfo fcinfo, int number, const char *name);
extern char *JoinTextArgumentOrError(FunctionCallInfo fcinfo, int number, const char *name);

extern const char *JoinFunctionName(FunctionCallInfo fcinfo);

/* The type of the first argument; indeterminate_datatype if it has none. */
extern Oid JoinKeyTypeOrError(FunctionCallInfo fcinfo);

/* Returns the schema of the function, which is that of the extension. */
extern Oid JoinSchema(FunctionCallInfo fcinfo);

/*
 * Reads [key type,] query [, query]; `others` arguments follow. The key type is there under
 * KEYS_OF_TYPE. Returns the number of the next argument.
 */
extern int JoinQueryArguments(FunctionCallInfo fcinfo, KeyPolicy key_policy, int others,
							  JoinRequest *request);

#endif
