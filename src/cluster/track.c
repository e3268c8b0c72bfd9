/*
 * track.c
 *		Functions of tracked tables that SQL cannot express safely: neardup_refresh and
 *		neardup_track_written.
 *
 * The owner of a tracked table writes the expression of its sets and perhaps triggers. Like REFRESH
 * MATERIALIZED VIEW, neardup_refresh runs them as the owner, whoever calls. With a SECURITY DEFINER
 * function instead, a deferred trigger or a cursor WITH HOLD would run at commit with the caller's
 * rights. A security-restricted operation refuses these. Settings made meanwhile are undone.
 *
 * Another function neardup_track_sync that declares the keys' type would win over the one with
 * anyarray. neardup_track_written is not polymorphic, and looks it up by its declared types.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "executor/tstoreReceiver.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "parser/parse_func.h"
#include "tcop/dest.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "cluster/arguments.h"

PG_FUNCTION_INFO_V1(neardup_refresh);
PG_FUNCTION_INFO_V1(neardup_track_written);

static Relation
open_own_relation(Oid oid)
{
	Relation relation = ClusterRelationOrError(oid);

	if (!has_privs_of_role(GetUserId(), relation->rd_rel->relowner))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(relation->rd_rel->relkind),
					   RelationGetRelationName(relation));
	return relation;
}

static void
run_rebuild(const char *schema, Oid relation, ReturnSetInfo *result)
{
	SPIExecuteOptions options = {.must_return_tuples = true};
	ParamListInfo parameters = makeParamList(1);
	StringInfoData query;
	int code;

	initStringInfo(&query);
	appendStringInfo(&query,
					 "SELECT r.key, r.difference, r.recorded, r.computed "
					 "FROM %s.neardup_track_rebuild($1) AS r",
					 quote_identifier(schema));
	parameters->params[0].value = ObjectIdGetDatum(relation);
	parameters->params[0].isnull = false;
	parameters->params[0].pflags = PARAM_FLAG_CONST;
	parameters->params[0].ptype = REGCLASSOID;
	options.params = parameters;
	options.dest = CreateDestReceiver(DestTuplestore);
	SetTuplestoreDestReceiverParams(options.dest, result->setResult,
									result->econtext->ecxt_per_query_memory, false, NULL, NULL);
	SPI_connect();
	code = SPI_execute_extended(query.data, &options);
	if (code != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute_extended failed: %s", SPI_result_code_string(code));
	SPI_finish();
	options.dest->rDestroy(options.dest);
}

Datum
neardup_refresh(PG_FUNCTION_ARGS)
{
	const char *schema = get_namespace_name(get_func_namespace(fcinfo->flinfo->fn_oid));
	Relation relation = open_own_relation(PG_GETARG_OID(0));
	Oid caller;
	int context;
	int nest_level;

	InitMaterializedSRF(fcinfo, 0);
	GetUserIdAndSecContext(&caller, &context);
	SetUserIdAndSecContext(relation->rd_rel->relowner, context | SECURITY_RESTRICTED_OPERATION);
	nest_level = NewGUCNestLevel();
	run_rebuild(schema, RelationGetRelid(relation), (ReturnSetInfo *) fcinfo->resultinfo);
	AtEOXact_GUC(false, nest_level);
	SetUserIdAndSecContext(caller, context);
	table_close(relation, NoLock);
	return (Datum) 0;
}

static Oid
sync_function(Oid schema)
{
	static const Oid types[] = {REGCLASSOID, ANYARRAYOID};
	List *name = list_make2(makeString(get_namespace_name(schema)),
							makeString(pstrdup("neardup_track_sync")));

	return LookupFuncName(name, lengthof(types), types, false);
}

/* A polymorphic function reads the argument's type from the call expression. */
static Const *
argument(Oid type, Datum value)
{
	int16 length;
	bool by_value;

	get_typlenbyval(type, &length, &by_value);
	return makeConst(type, -1, InvalidOid, length, value, false, by_value);
}

/* (regclass, record of one array): calls neardup_track_sync with the array. */
Datum
neardup_track_written(PG_FUNCTION_ARGS)
{
	HeapTupleHeader row = PG_GETARG_HEAPTUPLEHEADER(1);
	TupleDesc columns =
		lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(row), HeapTupleHeaderGetTypMod(row));
	Oid type = columns->natts == 1 ? TupleDescAttr(columns, 0)->atttypid : InvalidOid;
	Oid function = sync_function(get_func_namespace(fcinfo->flinfo->fn_oid));
	bool isnull;
	Datum keys;
	FmgrInfo sync;

	ReleaseTupleDesc(columns);
	if (!OidIsValid(get_element_type(type)))
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("keys must be a row of one column, an array")));
	keys = GetAttributeByNum(row, 1, &isnull);
	if (isnull)
		PG_RETURN_VOID();
	fmgr_info(function, &sync);
	fmgr_info_set_expr((Node *) makeFuncExpr(function, VOIDOID,
											 list_make2(argument(REGCLASSOID, PG_GETARG_DATUM(0)),
														argument(type, keys)),
											 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL),
					   &sync);
	FunctionCall2(&sync, PG_GETARG_DATUM(0), keys);
	PG_RETURN_VOID();
}
