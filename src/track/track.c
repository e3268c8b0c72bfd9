/*
 * track.c
 *		The trigger function of tracked tables, and neardup_refresh.
 *
 * Both run with the rights of the table's owner, whoever writes or calls: the owner has written the
 * expression of the sets, and perhaps triggers. A trigger does as those of foreign keys do. A call
 * of neardup_refresh does as REFRESH MATERIALIZED VIEW does: a security-restricted operation refuses
 * deferred triggers and cursors WITH HOLD, which would run at commit with the caller's rights, and
 * settings made meanwhile are undone.
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

#include "join/results/arguments.h"
#include "track/track_bulk.h"
#include "track/track_locks.h"
#include "track/track_rows.h"
#include "track/track_statements.h"

PG_FUNCTION_INFO_V1(neardup_track_write);
PG_FUNCTION_INFO_V1(neardup_refresh);

/* Rows that are looked up one by one; more are joined. */
#define MOST_LOOKUPS 100

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

/* Locks the whole table; what is known of it then stands. */
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

static Relation
open_own_relation(Oid oid)
{
	Relation relation = JoinRelationOrError(oid);

	if (!has_privs_of_role(GetUserId(), relation->rd_rel->relowner))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(relation->rd_rel->relkind),
					   RelationGetRelationName(relation));
	return relation;
}

/* The differences that the last statement has returned. */
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

static void
refresh(Relation relation, Oid extension_schema, ReturnSetInfo *result)
{
	TrackTable *table = lock_whole(relation, extension_schema);
	Datum values[2];

	values[1] = Int64GetDatum(TrackNumber(table));
	TrackWrite(table, TRACK_REBUILD, NULL);
	return_differences(result);
	values[0] = CStringGetTextDatum(TrackPairsQuery(table, "true"));
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
