/*
 * clean_lock.c
 *		Locks of scopes, which keep writers apart where no constraint does.
 *
 * A table has 64 advisory locks, by the hash of the values of the scope. A lock is taken before the
 * search and held until the transaction ends, so that a search after it sees what its holder before has
 * committed.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/partition.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/formatting.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "clean/clean_lock.h"
#include "clean/clean_table.h"
#include "compat.h"

PG_FUNCTION_INFO_V1(clean_lock);

static void
refuse_isolation(Oid table)
{
	const char *level = GetConfigOption("transaction_isolation", false, false);

	ereport(ERROR,
			(errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
			 errmsg("rows of table %s cannot be kept apart at isolation level %s",
					CleanTableName(table), asc_toupper(level, strlen(level))),
			 errdetail("No constraint has these tokens, this measure, this scope and a threshold "
					   "that is no greater, and rows that were committed after the snapshot of the "
					   "transaction would be missed."),
			 errhint("Add such a constraint, or use READ COMMITTED.")));
}

void
CleanLock(Oid table, int64 slot)
{
	int64 number = ((int64) table << 32) | slot;

	if (IsolationUsesXactSnapshot())
		refuse_isolation(table);
	DirectFunctionCall1(pg_advisory_xact_lock_int8, nd_int64_datum(&number));
}

/*
 * clean_lock(rel, slots): takes locks of a table, or of that of which it is a partition. They come in one
 * order, so that two callers who take several do not wait for each other.
 */
Datum
clean_lock(PG_FUNCTION_ARGS)
{
	Oid table = PG_GETARG_OID(0);
	Datum *slots;
	int count;

	deconstruct_array(PG_GETARG_ARRAYTYPE_P(1), INT8OID, sizeof(int64), FLOAT8PASSBYVAL,
					  TYPALIGN_DOUBLE, &slots, NULL, &count);
	if (get_rel_relispartition(table))
		table = llast_oid(get_partition_ancestors(table));
	for (int i = 0; i < count; i++)
		CleanLock(table, DatumGetInt64(slots[i]));
	PG_RETURN_VOID();
}
