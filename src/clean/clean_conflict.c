/*
 * clean_conflict.c
 *		Whether a new row has a key that a row of its table has already.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/tableam.h"
#include "catalog/pg_class.h"
#include "executor/executor.h"
#include "executor/nodeModifyTable.h"
#include "fmgr.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "compat.h"

PG_FUNCTION_INFO_V1(clean_has_key);

/* Returns the unique indexes that find a conflict at once, which are those that ON CONFLICT takes. */
static List *
immediate_keys(const ResultRelInfo *table)
{
	List *keys = NIL;

	for (int i = 0; i < table->ri_NumIndices; i++)
	{
		const FormData_pg_index *index = table->ri_IndexRelationDescs[i]->rd_index;

		if (index->indisunique && index->indimmediate && index->indisvalid)
			keys = lappend_oid(keys, index->indexrelid);
	}
	return keys;
}

/*
 * Returns whether any unique index of a table has the key of a row. Waits for a transaction that has
 * inserted such a key, or deleted it, as the INSERT would.
 */
static bool
has_key(Relation relation, TupleTableSlot *slot)
{
	EState *estate = CreateExecutorState();
	ResultRelInfo *table = makeNode(ResultRelInfo);
	ItemPointerData conflict;
	List *keys;
	bool found;

	InitResultRelInfo(table, relation, 0, NULL, 0);
	ExecOpenIndices(table, true);
	keys = immediate_keys(table);
	if (keys != NIL && RelationGetDescr(relation)->constr != NULL &&
		RelationGetDescr(relation)->constr->has_generated_stored)
		ExecComputeStoredGenerated(table, estate, slot, CMD_INSERT);
	found = keys != NIL && !nd_check_index_constraints(table, slot, estate, &conflict, keys);
	ExecCloseIndices(table);
	FreeExecutorState(estate);
	return found;
}

/*
 * clean_has_key(rel, new_row): whether any unique index of a table has the key of a new row of it,
 * so that an INSERT of the row would fail, do nothing or update, as it says. The row is one of
 * exactly that table or partition, as a trigger has it.
 */
Datum
clean_has_key(PG_FUNCTION_ARGS)
{
	Relation relation = table_open(PG_GETARG_OID(0), RowExclusiveLock);
	HeapTupleHeader row = PG_GETARG_HEAPTUPLEHEADER(1);
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(row), .t_data = row};
	bool found = false;

	if (HeapTupleHeaderGetTypeId(row) != relation->rd_rel->reltype)
		elog(ERROR, "row is not one of table %u", RelationGetRelid(relation));
	ItemPointerSetInvalid(&tuple.t_self);
	if (relation->rd_rel->relkind == RELKIND_RELATION)
	{
		TupleTableSlot *slot = table_slot_create(relation, NULL);

		ExecForceStoreHeapTuple(&tuple, slot, false);
		found = has_key(relation, slot);
		ExecDropSingleTupleTableSlot(slot);
	}
	table_close(relation, NoLock);
	PG_RETURN_BOOL(found);
}
