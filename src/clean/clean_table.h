/*
 * clean_table.h
 *		Opening a table that the caller of a function has named, and naming it in messages.
 */
#ifndef NEARDUP_CLEAN_CLEAN_TABLE_H
#define NEARDUP_CLEAN_CLEAN_TABLE_H

#include "access/table.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/*
 * Opens a table with AccessShareLock. Errors: undefined_table if there is none, since regclass takes
 * any number for the table of that oid; wrong_object_type as table_open raises it.
 */
static inline Relation
CleanTableOpen(Oid oid)
{
	Relation table = try_table_open(oid, AccessShareLock);

	if (table == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
						errmsg("relation with OID %u does not exist", oid)));
	return table;
}

/* Returns the name of a table with its schema, whatever the search path, as the functions in SQL have it. */
static inline char *
CleanTableName(Oid oid)
{
	return quote_qualified_identifier(get_namespace_name_or_temp(get_rel_namespace(oid)),
									  get_rel_name(oid));
}

#endif
