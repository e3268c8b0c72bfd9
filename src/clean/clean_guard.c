/*
 * clean_guard.c
 *		The trigger of a guarded table, and the rows that it lets pass unseen.
 *
 * A row that the trigger leaves out is gone, where it was not new. Two kinds of rows come to it by
 * INSERT and are not new, and what tells them is the statement that inserts them:
 *
 * - An UPDATE that moves a row to another partition calls the triggers for UPDATE, for the DELETE of
 *   the same row, which is then gone, and for the INSERT. So the trigger of a partitioned table fires
 *   for all three. It notes the place of a row that is updated. If that very row is deleted, the next
 *   row that the statement inserts is the one that moves, whatever triggers have made of it.
 * - A row that undo_merge puts back. The INSERT reads its rows by a query that calls
 *   clean_puts_back(), which notes that what this statement inserts is put back. Rows that are
 *   inserted by triggers of the statement are none of its own.
 *
 * A statement is known by the memory of its executor: the context "ExecutorState", in which all
 * of its triggers and functions are called. The notes of a statement are in that context, so they
 * go with it, whether the statement ends well or not.
 *
 * What logical replication applies passes as well. The other server has it, and a row that is left
 * out would be missing for good.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/tupconvert.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "executor/nodeModifyTable.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "replication/logicalworker.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "clean/clean_search.h"
#include "clean/clean_table.h"
#include "compat.h"

PG_FUNCTION_INFO_V1(clean_guard);
PG_FUNCTION_INFO_V1(clean_puts_back);

/* The places of the trigger's arguments that are read here; guard.sql has all. */
#define ACTION 4
#define FEWEST_ARGUMENTS 7

/* What is known of a statement. */
typedef struct StatementNotes
{
	struct StatementNotes *next;
	MemoryContext statement;
	MemoryContextCallback forget;
	bool puts_back;
	Oid updated; /* the table or partition of the row that was updated last, or InvalidOid */
	ItemPointerData place;
	bool is_moving; /* and deleted since */
} StatementNotes;

/* The notes of all statements that are running. */
static StatementNotes *all_notes = NULL;

static void
forget_notes(void *argument)
{
	for (StatementNotes **place = &all_notes; *place != NULL; place = &(*place)->next)
	{
		if (*place == argument)
		{
			*place = (*place)->next;
			return;
		}
	}
}

/* Returns the context of the statement that calls; NULL where none does. */
static MemoryContext
running_statement(void)
{
	MemoryContext context = CurrentMemoryContext;

	while (context != NULL && strcmp(context->name, "ExecutorState") != 0)
		context = context->parent;
	return context;
}

/* Returns the notes of the statement that calls; NULL if it has none. */
static StatementNotes *
find_notes(void)
{
	MemoryContext statement = running_statement();
	StatementNotes *notes = all_notes;

	while (notes != NULL && notes->statement != statement)
		notes = notes->next;
	return notes;
}

/* Returns the notes of the statement that calls, made if there are none; NULL where no statement calls. */
static StatementNotes *
make_notes(void)
{
	MemoryContext statement = running_statement();
	StatementNotes *notes = find_notes();

	if (notes != NULL || statement == NULL)
		return notes;
	notes = MemoryContextAllocZero(statement, sizeof(StatementNotes));
	notes->statement = statement;
	notes->next = all_notes;
	notes->forget.func = forget_notes;
	notes->forget.arg = notes;
	MemoryContextRegisterResetCallback(statement, &notes->forget);
	all_notes = notes;
	return notes;
}

static void
note_updated(const TriggerData *call)
{
	StatementNotes *notes = make_notes();

	if (notes == NULL)
		return;
	notes->updated = RelationGetRelid(call->tg_relation);
	notes->place = call->tg_trigtuple->t_self;
	notes->is_moving = false;
}

static void
note_deleted(const TriggerData *call)
{
	StatementNotes *notes = find_notes();

	if (notes != NULL)
		notes->is_moving = notes->updated == RelationGetRelid(call->tg_relation) &&
						   ItemPointerEquals(&notes->place, &call->tg_trigtuple->t_self);
}

static Oid
root_of(Oid table)
{
	List *ancestors = get_partition_ancestors(table);

	return ancestors == NIL ? table : llast_oid(ancestors);
}

/* Returns whether a row that is inserted is the one that moves, which it is once. */
static bool
takes_move(const TriggerData *call, StatementNotes *notes)
{
	if (!notes->is_moving ||
		root_of(notes->updated) != root_of(RelationGetRelid(call->tg_relation)))
		return false;
	notes->is_moving = false;
	return true;
}

static bool
passes_unseen(const TriggerData *call)
{
	StatementNotes *notes;

	if (IsLogicalWorker())
		return true;
	notes = find_notes();
	return notes != NULL && (notes->puts_back || takes_move(call, notes));
}

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
has_key(Relation relation, TupleTableSlot *row)
{
	EState *estate = CreateExecutorState();
	ResultRelInfo *table = makeNode(ResultRelInfo);
	TupleTableSlot *slot = table_slot_create(relation, NULL);
	ItemPointerData conflict;
	List *keys;
	bool found;

	ExecCopySlot(slot, row);
	InitResultRelInfo(table, relation, 0, NULL, 0);
	ExecOpenIndices(table, true);
	keys = immediate_keys(table);
	if (keys != NIL && RelationGetDescr(relation)->constr != NULL &&
		RelationGetDescr(relation)->constr->has_generated_stored)
		ExecComputeStoredGenerated(table, estate, slot, CMD_INSERT);
	found = keys != NIL && !nd_check_index_constraints(table, slot, estate, &conflict, keys);
	ExecCloseIndices(table);
	ExecDropSingleTupleTableSlot(slot);
	FreeExecutorState(estate);
	return found;
}

/* What a trigger of a table, or of one of its partitions, knows while a statement runs. */
typedef struct Guard
{
	Oid trigger;			 /* the one that is not of a partition */
	Oid rel;				 /* its table */
	TupleDesc columns;		 /* of the table */
	TupleConversionMap *map; /* from a row of the partition; NULL if it is as one of the table */
} Guard;

/* Returns the table of a trigger, and the trigger of which it is a copy for a partition. */
static Oid
table_of_trigger(Oid trigger, Oid *parent)
{
	Relation triggers = table_open(TriggerRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;
	Oid rel;

	ScanKeyInit(&key, Anum_pg_trigger_oid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(trigger));
	scan = systable_beginscan(triggers, TriggerOidIndexId, true, NULL, 1, &key);
	tuple = systable_getnext(scan);
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "could not find tuple for trigger %u", trigger);
	rel = ((Form_pg_trigger) GETSTRUCT(tuple))->tgrelid;
	*parent = ((Form_pg_trigger) GETSTRUCT(tuple))->tgparentid;
	systable_endscan(scan);
	table_close(triggers, AccessShareLock);
	return rel;
}

/* Returns what is known of the trigger that is called, found once a statement. */
static Guard *
guard_of(FunctionCallInfo fcinfo)
{
	const TriggerData *call = (const TriggerData *) fcinfo->context;
	Guard *guard = fcinfo->flinfo->fn_extra;
	Oid parent = call->tg_trigger->tgoid;
	MemoryContext previous;
	TupleDesc columns;

	if (guard != NULL)
		return guard;
	previous = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
	guard = palloc0(sizeof(Guard));
	guard->rel = RelationGetRelid(call->tg_relation);
	guard->trigger = parent;
	while (call->tg_trigger->tgisclone && OidIsValid(parent))
	{
		guard->trigger = parent;
		guard->rel = table_of_trigger(parent, &parent);
	}
	columns = lookup_rowtype_tupdesc(get_rel_type_id(guard->rel), -1);
	guard->columns = CreateTupleDescCopy(columns);
	ReleaseTupleDesc(columns);
	guard->map = convert_tuples_by_name(RelationGetDescr(call->tg_relation), guard->columns);
	MemoryContextSwitchTo(previous);
	fcinfo->flinfo->fn_extra = guard;
	return guard;
}

/* Returns a new row as one of the table that is guarded. */
static Datum
row_of_table(const Guard *guard, HeapTuple tuple)
{
	if (guard->map != NULL)
		tuple = execute_attr_map_tuple(tuple, guard->map);
	return heap_copy_tuple_as_datum(tuple, guard->columns);
}

/* Opens the search of a trigger, which is made of its arguments. */
static CleanSearch *
guard_open_search(FunctionCallInfo fcinfo)
{
	const Guard *guard = guard_of(fcinfo);
	const Trigger *trigger = ((const TriggerData *) fcinfo->context)->tg_trigger;
	Oid types[2] = {REGCLASSOID, TEXTARRAYOID};
	Datum *arguments = palloc(trigger->tgnargs * sizeof(Datum));
	Datum values[2] = {ObjectIdGetDatum(guard->rel)};
	CleanSearchRequest request = {
		.schema = get_func_namespace(fcinfo->flinfo->fn_oid),
		.call = "clean_guard_statements($1, $2)",
		.count = 2,
		.types = types,
		.values = values,
		.rel = guard->rel,
		.row_type = guard->columns->tdtypeid,
		.key = makeStringInfo(),
	};

	for (int i = 0; i < trigger->tgnargs; i++)
		arguments[i] = CStringGetTextDatum(trigger->tgargs[i]);
	values[1] = PointerGetDatum(
		construct_array(arguments, trigger->tgnargs, TEXTOID, -1, false, TYPALIGN_INT));
	appendBinaryStringInfo(request.key, (const char *) &guard->trigger, sizeof(Oid));
	return CleanSearchOpen(&request);
}

/* Does what the trigger's arguments say with a row that resembles one that is there. */
static void
leave_out(const Guard *guard, const Trigger *trigger, const CleanFoundRow *found)
{
	if (strcmp(trigger->tgargs[ACTION], "raise") == 0)
		ereport(ERROR, (errcode(ERRCODE_EXCLUSION_VIOLATION),
						errmsg("row is a near-duplicate of row %s of table %s", found->key,
							   CleanTableName(guard->rel)),
						errdetail("Their similarity is %s.",
								  DatumGetCString(DirectFunctionCall1(
									  float8out, nd_float8_datum(&found->similarity))))));
	if (get_rel_relispartition(guard->rel))
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("row is a near-duplicate of row %s of partition %s", found->key,
							   CleanTableName(guard->rel)),
						errdetail("It is not left out, since an UPDATE may have moved it here from "
								  "another partition."),
						errhint("Drop the trigger, and guard the partitioned table.")));
}

/*
 * Returns whether a row is passed on: because none resembles it, or because its key is there. Only the
 * statement says what is to be done with such a key: an INSERT fails, ON CONFLICT does nothing or updates
 * the row.
 */
static bool
passes_search(CleanSearch *search, FunctionCallInfo fcinfo)
{
	const TriggerData *call = (const TriggerData *) fcinfo->context;
	const Guard *guard = guard_of(fcinfo);
	CleanNewRow row = CleanSearchRead(search, row_of_table(guard, call->tg_trigtuple));
	char *missed = NULL;

	for (;;)
	{
		CleanFoundRow found = CleanSearchFind(search, &row);

		if (found.key == NULL || has_key(call->tg_relation, call->tg_trigslot))
			return true;
		leave_out(guard, call->tg_trigger, &found);
		if (strcmp(call->tg_trigger->tgargs[ACTION], "skip") == 0 ||
			CleanSearchCountUp(search, found.key))
			return false;
		/* Another transaction may have deleted the row. If it is found again, something keeps it as it is. */
		if (missed != NULL && strcmp(missed, found.key) == 0)
			ereport(
				ERROR,
				(errcode(ERRCODE_TRIGGERED_ACTION_EXCEPTION),
				 errmsg("row %s of table %s could not be counted up", found.key,
						CleanTableName(guard->rel)),
				 errhint("A trigger, a rule or a policy has kept the row from being changed.")));
		missed = found.key;
	}
}

/* Returns whether a row that may be new is passed on. */
static bool
row_passes(FunctionCallInfo fcinfo)
{
	CleanSearch *search;
	bool is_passed;

	SPI_connect();
	search = guard_open_search(fcinfo);
	PG_TRY();
	{
		is_passed = passes_search(search, fcinfo);
	}
	PG_FINALLY();
	{
		CleanSearchClose(search);
	}
	PG_END_TRY();
	SPI_finish();
	return is_passed;
}

/*
 * clean_guard(): the trigger of a guarded table, BEFORE INSERT, and of a partitioned one BEFORE
 * UPDATE and DELETE, too, for each row. Its arguments are those of guard.sql. Returns the row, or NULL
 * where it is left out.
 */
Datum
clean_guard(PG_FUNCTION_ARGS)
{
	const TriggerData *call = (const TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo) || !TRIGGER_FIRED_BEFORE(call->tg_event) ||
		!TRIGGER_FIRED_FOR_ROW(call->tg_event) || call->tg_trigger->tgnargs < FEWEST_ARGUMENTS)
		ereport(ERROR, (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
						errmsg("clean_guard() is not called as guard_near_duplicates has it")));
	if (TRIGGER_FIRED_BY_UPDATE(call->tg_event))
	{
		note_updated(call);
		return PointerGetDatum(call->tg_newtuple);
	}
	if (TRIGGER_FIRED_BY_DELETE(call->tg_event))
	{
		note_deleted(call);
		return PointerGetDatum(call->tg_trigtuple);
	}
	return PointerGetDatum(passes_unseen(call) || row_passes(fcinfo) ? call->tg_trigtuple : NULL);
}

/* clean_puts_back(): notes that the rows which the statement inserts are put back; returns true. */
Datum
clean_puts_back(PG_FUNCTION_ARGS)
{
	StatementNotes *notes = make_notes();

	if (notes != NULL)
		notes->puts_back = true;
	PG_RETURN_BOOL(true);
}
