/*
 * clean_guard.c
 *		The trigger of a guarded table, and the rows that it lets pass unseen.
 *
 * A row that the trigger leaves out is gone, where it was not new. Two kinds of rows come to it by
 * INSERT and are not new, and what tells them is the statement that inserts them:
 *
 * - An UPDATE that moves a row to another partition has deleted the row when the INSERT is fired.
 *   The trigger fires for the UPDATE of a partition, too, just before that, and notes the key that
 *   the row will have. The next INSERT of that key by the same statement is the row.
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

#include "access/htup_details.h"
#include "catalog/partition.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "replication/logicalworker.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "function_behind.h"

PG_FUNCTION_INFO_V1(clean_guard);
PG_FUNCTION_INFO_V1(clean_puts_back);

/* What is known of a statement. */
typedef struct StatementNotes
{
	struct StatementNotes *next;
	MemoryContext statement;
	MemoryContextCallback forget;
	bool puts_back;
	Oid updated; /* the table or partition of the row that was updated last, or InvalidOid */
	Datum key;	 /* the key of that row; never NULL */
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

/* Returns the notes of a statement; NULL if it has none. */
static StatementNotes *
find_notes(MemoryContext statement)
{
	StatementNotes *notes = all_notes;

	while (notes != NULL && notes->statement != statement)
		notes = notes->next;
	return notes;
}

/* Returns the notes of a statement, which are made if there are none. */
static StatementNotes *
notes_of(MemoryContext statement)
{
	StatementNotes *notes = find_notes(statement);

	if (notes == NULL)
	{
		notes = MemoryContextAllocZero(statement, sizeof(StatementNotes));
		notes->statement = statement;
		notes->next = all_notes;
		notes->forget.func = forget_notes;
		notes->forget.arg = notes;
		MemoryContextRegisterResetCallback(statement, &notes->forget);
		all_notes = notes;
	}
	return notes;
}

/* Returns the column of a guarded table's key, which is the trigger's first argument. */
static Form_pg_attribute
key_column(Relation table, const Trigger *trigger)
{
	int number = SPI_fnumber(RelationGetDescr(table), trigger->tgargs[0]);

	if (number <= 0)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
						errmsg("column \"%s\" of table %s does not exist", trigger->tgargs[0],
							   RelationGetRelationName(table))));
	return TupleDescAttr(RelationGetDescr(table), number - 1);
}

/* Notes the key that a row will have that is being updated. */
static void
note_updated(const TriggerData *call)
{
	MemoryContext statement = running_statement();
	Form_pg_attribute column = key_column(call->tg_relation, call->tg_trigger);
	StatementNotes *notes;
	bool isnull;
	Datum key = heap_getattr(call->tg_newtuple, column->attnum, RelationGetDescr(call->tg_relation),
							 &isnull);
	MemoryContext previous;

	if (statement == NULL)
		return;
	notes = notes_of(statement);
	if (OidIsValid(notes->updated) && !column->attbyval)
		pfree(DatumGetPointer(notes->key));
	notes->updated = InvalidOid;
	if (isnull)
		return;
	previous = MemoryContextSwitchTo(statement);
	notes->key = datumCopy(key, column->attbyval, column->attlen);
	MemoryContextSwitchTo(previous);
	notes->updated = RelationGetRelid(call->tg_relation);
}

static Oid
root_of(Oid table)
{
	List *ancestors = get_partition_ancestors(table);

	return ancestors == NIL ? table : llast_oid(ancestors);
}

/* Returns whether a row that is inserted is the one that the same statement has just updated. */
static bool
is_moved(const TriggerData *call, const StatementNotes *notes)
{
	Form_pg_attribute column = key_column(call->tg_relation, call->tg_trigger);
	bool isnull;
	Datum key = heap_getattr(call->tg_trigtuple, column->attnum,
							 RelationGetDescr(call->tg_relation), &isnull);

	return OidIsValid(notes->updated) && !isnull &&
		   root_of(notes->updated) == root_of(RelationGetRelid(call->tg_relation)) &&
		   datum_image_eq(key, notes->key, column->attbyval, column->attlen);
}

static bool
passes_unseen(const TriggerData *call)
{
	MemoryContext statement = running_statement();
	const StatementNotes *notes = statement == NULL ? NULL : find_notes(statement);

	return IsLogicalWorker() || (notes != NULL && (notes->puts_back || is_moved(call, notes)));
}

/* Has the trigger function clean_guard_search decide, which is in the same schema. */
static Datum
guard_search(FunctionCallInfo fcinfo)
{
	FmgrInfo *function = fcinfo->flinfo->fn_extra;
	LOCAL_FCINFO(call, 0);
	Datum row;

	if (function == NULL)
	{
		Oid oid = FunctionBeside(fcinfo->flinfo->fn_oid, "clean_guard_search", NULL, 0);

		if (!OidIsValid(oid))
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_FUNCTION),
					 errmsg("function clean_guard_search() does not exist, or may not be called")));
		function = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(FmgrInfo));
		fmgr_info_cxt(oid, function, fcinfo->flinfo->fn_mcxt);
		fcinfo->flinfo->fn_extra = function;
	}
	InitFunctionCallInfoData(*call, function, 0, InvalidOid, fcinfo->context, NULL);
	row = FunctionCallInvoke(call);
	if (call->isnull)
		elog(ERROR, "trigger function %u returned null", function->fn_oid);
	return row;
}

/*
 * clean_guard(): the trigger of a guarded table, BEFORE INSERT, and of a partitioned one BEFORE
 * UPDATE, too, for each row. Its arguments are those of guard.sql. Returns the row, or NULL where
 * it is left out.
 */
Datum
clean_guard(PG_FUNCTION_ARGS)
{
	const TriggerData *call = (const TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo) || !TRIGGER_FIRED_BEFORE(call->tg_event) ||
		!TRIGGER_FIRED_FOR_ROW(call->tg_event) || TRIGGER_FIRED_BY_DELETE(call->tg_event) ||
		call->tg_trigger->tgnargs < 7)
		ereport(ERROR, (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
						errmsg("clean_guard() is not called as guard_near_duplicates has it")));
	if (TRIGGER_FIRED_BY_UPDATE(call->tg_event))
	{
		note_updated(call);
		return PointerGetDatum(call->tg_newtuple);
	}
	return passes_unseen(call) ? PointerGetDatum(call->tg_trigtuple) : guard_search(fcinfo);
}

/* clean_puts_back(): notes that the rows which the statement inserts are put back; returns true. */
Datum
clean_puts_back(PG_FUNCTION_ARGS)
{
	MemoryContext statement = running_statement();

	if (statement != NULL)
		notes_of(statement)->puts_back = true;
	PG_RETURN_BOOL(true);
}
