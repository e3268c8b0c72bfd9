/*
 * clean_table.h
 *		Opening a table that the caller of a function has named.
 */
#ifndef NEARDUP_CLEAN_CLEAN_TABLE_H
#define NEARDUP_CLEAN_CLEAN_TABLE_H

#include "access/table.h"

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

#endif
