/*
 * arguments.h
 *		The arguments of the functions of joins and clusters.
 *
 * The functions are not STRICT: a NULL may give the type of the keys.
 */
#ifndef NEARDUP_JOIN_ARGUMENTS_H
#define NEARDUP_JOIN_ARGUMENTS_H

#include "fmgr.h"
#include "utils/array.h"
#include "utils/relcache.h"

#include "join/query_join.h"

/*
 * Returns an argument, counted from 0. Raises null_value_not_allowed, with this name and the
 * function's name, if the argument is NULL.
 */
extern Datum JoinArgumentOrError(FunctionCallInfo fcinfo, int number, const char *name);
extern char *JoinTextArgumentOrError(FunctionCallInfo fcinfo, int number, const char *name);

/*
 * Returns the names of columns that an argument has. Raises null_value_not_allowed for a NULL among them,
 * duplicate_column for a name that comes twice.
 */
extern char **JoinNamesOrError(const char *function, const char *argument, ArrayType *array,
							   int *count);

/* Returns the SQL name of the function that is called. */
extern const char *JoinFunctionName(FunctionCallInfo fcinfo);

/*
 * Reads the key type, of which the first argument is, if it is declared as anyelement: then the policy
 * is KEYS_OF_TYPE, else KEYS_INTEGER. Returns the number of the next argument. Raises
 * indeterminate_datatype if the argument has no type.
 */
extern int JoinKeyArgument(FunctionCallInfo fcinfo, KeyPolicy *policy, Oid *type);

/* Returns the schema of the function, which is the schema of the extension. */
extern Oid JoinSchema(FunctionCallInfo fcinfo);

/*
 * Opens a relation with AccessShareLock, which fixes its name, columns and owner; raises
 * undefined_table if there is none.
 */
extern Relation JoinRelationOrError(Oid oid);

/*
 * Reads [key type,] query at the beginning of the arguments and `against`, the second query or NULL,
 * at their end. Returns the number of the argument after the first query.
 */
extern int JoinQueryArguments(FunctionCallInfo fcinfo, JoinRequest *request);

#endif
