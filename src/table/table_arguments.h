/*
 * table_arguments.h
 *		The arguments of functions that read a table: its name, columns, and SQL fragments over these.
 */
#ifndef NEARDUP_CLUSTER_TABLE_ARGUMENTS_H
#define NEARDUP_CLUSTER_TABLE_ARGUMENTS_H

#include "fmgr.h"
#include "utils/relcache.h"

/* Returns an argument of type name, as it is written; raises the errors of JoinArgumentOrError. */
extern char *TableNameArgument(FunctionCallInfo fcinfo, int number, const char *name);

/*
 * Returns a text argument that is a fragment of SQL over the columns of the relation, whose name is
 * given as SQL; NULL if the argument is. `check` is one of fragment.h, and raises the errors.
 */
extern char *
TableFragmentArgument(FunctionCallInfo fcinfo, int number, const char *relation, const char *name,
					  void (*check)(const char *fragment, const char *relation, const char *name));

/* Returns the relation's qualified name as SQL. */
extern const char *TableSqlName(Relation relation);

/* Returns the name of a column as SQL; raises undefined_column if there is none. */
extern const char *TableColumnOrError(Relation relation, const char *name);

/* Returns the collation of a column that exists. */
extern Oid TableColumnCollation(Relation relation, const char *name);

#endif
