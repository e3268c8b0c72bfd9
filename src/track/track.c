/*
 * track.c
 *		The trigger function of tracked tables, and neardup_refresh.
 *
 * Both run with the rights of the table's owner, whoever writes or calls, since they evaluate the
 * owner's expression of the sets, and perhaps fire the owner's triggers. The trigger function
 * switches the user as the triggers of foreign keys do. neardup_refresh does as REFRESH
 * MATERIALIZED VIEW does: within a security-restricted operation, deferred triggers and cursors
 * WITH HOLD, which would run at commit with the caller's rights, are refused, and settings that
 * are made meanwhile are undone.
 *
 * A statement with up to MOST_LOOKUPS rows looks each of them up (track_rows.c), so that writers of
 * rows that are not similar do not wait for each other. One with more rows locks the whole table
 * and joins all sets (track_bulk.c).
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "commands/trigger.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"

#include "join/call/arguments.h"
#include "track/track_bulk.h"
#include "track/track_locks.h"
#include "track/track_rows.h"
#include "track/track_statements.h"

PG_FUNCTION_INFO_V1(neardup_track_write);
PG_FUNCTION_INFO_V1(neardup_refresh);

/* Up to this many rows are looked up one by one; more are joined. */
#define MOST_LOOKUPS 100

/* Raises an error if the function was not called by a trigger such as neardup_track makes. */
static void
check_trigger(FunctionCallInfo fcinfo)
{
	const TriggerData *trigger = (TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo))
		ereport(ERROR, (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
						errmsg("neardup_track_write must be called as a trigger")));
	if (!TRIGGER_FIRED_AFTER(trigger->tg_event) || !TRIGGER_FIRED_FOR_STATEMENT(trigger->tg_event))
		ereport(ERROR, (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
						errmsg("neardup_track_write must be fired AFTER, FOR EACH STATEMENT")));
}

/* Locks the whole table, and returns what is known of it, which does not change then. */
static TrackTable *
lock_whole(Relation relation, Oid extension_schema)
{
	for (;;)
	{
		TrackTable *table = TrackTableOpen(relation, extension_schema);

		CHECK_FOR_INTERRUPTS();
		TrackLockTable(table->members, true);
		AcceptInvalidationMessages();
		if (table->is_valid)
			return table;
		TrackUnlockTable(table->members, true);
	}
}

/* Records what the statement has written, in the owner's name. */
static void
record_written(const TriggerData *trigger, Oid extension_schema)
{
	Relation relation = trigger->tg_relation;
	TrackTable *table = TrackTableOpen(relation, extension_schema);
	TrackKeys keys;

	if (TRIGGER_FIRED_BY_TRUNCATE(trigger->tg_event))
	{
		TrackWrite(table, TRACK_TRUNCATE, NULL);
		return;
	}
	keys = TrackKeysWritten(table, trigger);
	if (keys.count > MOST_LOOKUPS && OidIsValid(table->key_array))
		TrackBulk(lock_whole(relation, extension_schema), &keys);
	else if (keys.count > 0)
		TrackRows(relation, table, extension_schema, &keys);
}

Datum
neardup_track_write(PG_FUNCTION_ARGS)
{
	const TriggerData *trigger = (TriggerData *) fcinfo->context;
	Oid extension_schema = get_func_namespace(fcinfo->flinfo->fn_oid);
	Oid writer;
	int context;

	check_trigger(fcinfo);
	GetUserIdAndSecContext(&writer, &context);
	SetUserIdAndSecContext(trigger->tg_relation->rd_rel->relowner,
						   context | SECURITY_LOCAL_USERID_CHANGE);
	SPI_connect();
	record_written(trigger, extension_schema);
	SPI_finish();
	SetUserIdAndSecContext(writer, context);
	return PointerGetDatum(NULL);
}

/* Opens a relation that the caller, or a role that the caller is a member of, owns. */
static Relation
open_own_relation(Oid oid)
{
	Relation relation = JoinRelationOrError(oid);

	if (!has_privs_of_role(GetUserId(), relation->rd_rel->relowner))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(relation->rd_rel->relkind),
					   RelationGetRelationName(relation));
	return relation;
}

/* Returns the differences that the last statement has found. */
static void
return_differences(ReturnSetInfo *result)
{
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		CHECK_FOR_INTERRUPTS();
		tuplestore_puttuple(result->setResult, SPI_tuptable->vals[i]);
	}
	SPI_freetuptable(SPI_tuptable);
}

/* Records all rows, finds all clusters, and chooses the frequent tokens, whatever is recorded. */
static void
refresh(Relation relation, Oid extension_schema, ReturnSetInfo *result)
{
	TrackTable *table = lock_whole(relation, extension_schema);
	Datum values[3];

	values[1] = Int64GetDatum(TrackNumber(table));
	TrackWrite(table, TRACK_REBUILD, NULL);
	return_differences(result);
	values[0] = CStringGetTextDatum(TrackSetsQuery(table, "true"));
	values[2] = Float8GetDatum(table->predicate.threshold);
	TrackWrite(table, TRACK_REPAIR, values);
	return_differences(result);
	TrackTableFreeze(table);
}

Datum
neardup_refresh(PG_FUNCTION_ARGS)
{
	Oid extension_schema = get_func_namespace(fcinfo->flinfo->fn_oid);
	Relation relation;
	Oid caller;
	int context;
	int nest_level;

	if (IsolationUsesXactSnapshot())
		ereport(ERROR, (errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
						errmsg("neardup_refresh must be called at isolation level READ COMMITTED"),
						errdetail("Rows that were committed after the snapshot of the transaction "
								  "would be missed.")));
	relation = open_own_relation(PG_GETARG_OID(0));
	InitMaterializedSRF(fcinfo, 0);
	GetUserIdAndSecContext(&caller, &context);
	SetUserIdAndSecContext(relation->rd_rel->relowner, context | SECURITY_RESTRICTED_OPERATION);
	nest_level = NewGUCNestLevel();
	SPI_connect();
	refresh(relation, extension_schema, (ReturnSetInfo *) fcinfo->resultinfo);
	SPI_finish();
	AtEOXact_GUC(false, nest_level);
	SetUserIdAndSecContext(caller, context);
	table_close(relation, NoLock);
	return (Datum) 0;
}
