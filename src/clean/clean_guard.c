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

#include "access/tableam.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "executor/nodeModifyTable.h"
#include "fmgr.h"
#include "replication/logicalworker.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "compat.h"
#include "function_behind.h"

PG_FUNCTION_INFO_V1(clean_guard);
PG_FUNCTION_INFO_V1(clean_has_key);
PG_FUNCTION_INFO_V1(clean_puts_back);

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

/* The row for which clean_guard_search() has been called, the innermost of several; NULL if none. */
static const TriggerData *searched = NULL;

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

/* Returns the trigger function clean_guard_search, which is in the same schema, found once a statement. */
static FmgrInfo *
search_function(FunctionCallInfo fcinfo)
{
	FmgrInfo *function = fcinfo->flinfo->fn_extra;
	Oid oid;

	if (function != NULL)
		return function;
	oid = FunctionBeside(fcinfo->flinfo->fn_oid, "clean_guard_search", NULL, 0);
	if (!OidIsValid(oid))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("function clean_guard_search() does not exist, or may not be called")));
	function = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(FmgrInfo));
	fmgr_info_cxt(oid, function, fcinfo->flinfo->fn_mcxt);
	fcinfo->flinfo->fn_extra = function;
	return function;
}

static Datum
call_search(FunctionCallInfo fcinfo)
{
	FmgrInfo *function = search_function(fcinfo);
	LOCAL_FCINFO(call, 0);
	Datum row;

	InitFunctionCallInfoData(*call, function, 0, InvalidOid, fcinfo->context, NULL);
	row = FunctionCallInvoke(call);
	if (call->isnull)
		elog(ERROR, "trigger function %u returned null", function->fn_oid);
	return row;
}

/* Has clean_guard_search decide, which may ask of the row. */
static Datum
guard_search(FunctionCallInfo fcinfo)
{
	const TriggerData *outer = searched;
	Datum row;

	PG_TRY();
	{
		searched = (const TriggerData *) fcinfo->context;
		row = call_search(fcinfo);
	}
	PG_FINALLY();
	{
		searched = outer;
	}
	PG_END_TRY();
	return row;
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
		!TRIGGER_FIRED_FOR_ROW(call->tg_event) || call->tg_trigger->tgnargs < 7)
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
	return passes_unseen(call) ? PointerGetDatum(call->tg_trigtuple) : guard_search(fcinfo);
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

/*
 * clean_has_key(): for clean_guard_search(), whether any unique index of the table has the key of the new
 * row, so that its INSERT would fail, do nothing or update, as it says.
 */
Datum
clean_has_key(PG_FUNCTION_ARGS)
{
	if (searched == NULL)
		ereport(ERROR, (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
						errmsg("clean_has_key() is called outside of a guard")));
	PG_RETURN_BOOL(searched->tg_relation->rd_rel->relkind == RELKIND_RELATION &&
				   has_key(searched->tg_relation, searched->tg_trigslot));
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
