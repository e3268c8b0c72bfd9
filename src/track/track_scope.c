/*
 * track_scope.c
 *		Sets of tracked tables within a scope.
 *
 * Rows of different scopes must not be similar. So the recorded set of a row has its tokens hashed
 * together with the values of the scope, as an index with scope columns does: sets of one scope are
 * as similar as before, and sets of different scopes have no token in common. All else follows: a
 * row whose scope changes has another set, and is recorded like any change; each list of the index
 * and each lock of a token belongs to one scope.
 *
 * An index rechecks the values of the scope in the table, and here nothing does. So the values are
 * hashed exactly (scope/scope_column.h), and types for which that cannot be are refused.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/tupdesc.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "scope/salt.h"
#include "scope/scope_column.h"
#include "tokenset/tokenset.h"

PG_FUNCTION_INFO_V1(tokens_within);
PG_FUNCTION_INFO_V1(neardup_track_check_scope);
PG_FUNCTION_INFO_V1(neardup_track_type);

/* The columns of the previous call, kept in fn_extra. */
typedef struct ScopeColumns
{
	int count;
	ScopeColumn columns[FLEXIBLE_ARRAY_MEMBER];
} ScopeColumns;

/*
 * neardup_track_check_scope(probe): raises the error of ScopeColumnExact if the expression of an
 * index is a call of tokens_within whose scope has a column of a type that cannot be hashed
 * exactly. Nothing is evaluated.
 */
Datum
neardup_track_check_scope(PG_FUNCTION_ARGS)
{
	Oid index = PG_GETARG_OID(0);
	HeapTuple tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(index));
	bool is_null = true;
	Datum expressions = 0;
	Node *call = NULL;
	Node *scope;

	if (HeapTupleIsValid(tuple))
	{
		expressions = SysCacheGetAttr(INDEXRELID, tuple, Anum_pg_index_indexprs, &is_null);
		if (!is_null)
		{
			List *trees = stringToNode(TextDatumGetCString(expressions));

			call = linitial(trees);
		}
		ReleaseSysCache(tuple);
	}
	if (call == NULL || !IsA(call, FuncExpr) || list_length(((FuncExpr *) call)->args) != 2)
		PG_RETURN_VOID();
	scope = lsecond(((FuncExpr *) call)->args);
	if (IsA(scope, RowExpr))
	{
		ListCell *cell;

		foreach(cell, ((RowExpr *) scope)->args)
		{
			(void) ScopeColumnExact(exprType(lfirst(cell)), exprCollation(lfirst(cell)),
									CurrentMemoryContext);
		}
	}
	PG_RETURN_VOID();
}

/*
 * neardup_track_type(statement): the type of its only column. The statement is parsed, but not
 * planned, since the planner calls immutable functions whose arguments are constant: functions of
 * the table's owner, with the rights of the caller.
 */
Datum
neardup_track_type(PG_FUNCTION_ARGS)
{
	SPIPlanPtr plan;
	List *sources;
	TupleDesc row;
	Oid type;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	plan = SPI_prepare(text_to_cstring(PG_GETARG_TEXT_PP(0)), 0, NULL);
	if (plan == NULL)
		elog(ERROR, "SPI_prepare failed: %s", SPI_result_code_string(SPI_result));
	sources = SPI_plan_get_plan_sources(plan);
	row = list_length(sources) != 1 ? NULL : ((CachedPlanSource *) linitial(sources))->resultDesc;
	if (row == NULL || row->natts != 1)
		ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR),
						errmsg("tokens must be one expression, and within a list of expressions")));
	type = TupleDescAttr(row, 0)->atttypid;
	SPI_finish();
	PG_RETURN_OID(type);
}

/* Returns the description of the columns, the previous one if it is of the same types. */
static ScopeColumns *
describe_columns(FmgrInfo *call, TupleDesc row)
{
	ScopeColumns *scope = call->fn_extra;
	bool is_same = scope != NULL && scope->count == row->natts;

	for (int i = 0; is_same && i < row->natts; i++)
		is_same = scope->columns[i].type == TupleDescAttr(row, i)->atttypid &&
				  scope->columns[i].collation == TupleDescAttr(row, i)->attcollation;
	if (is_same)
		return scope;
	scope = MemoryContextAllocZero(call->fn_mcxt, offsetof(ScopeColumns, columns) +
													  row->natts * sizeof(ScopeColumn));
	scope->count = row->natts;
	for (int i = 0; i < row->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(row, i);

		/* A dropped column of a table's row type is NULL, and has no type. */
		if (!column->attisdropped)
			scope->columns[i] =
				ScopeColumnExact(column->atttypid, column->attcollation, call->fn_mcxt);
	}
	call->fn_extra = scope;
	return scope;
}

/* Returns the salt of a scope, a row of any type. */
static uint64
salt_of_scope(FmgrInfo *call, HeapTupleHeader scope)
{
	TupleDesc row =
		lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(scope), HeapTupleHeaderGetTypMod(scope));
	ScopeColumns *columns = describe_columns(call, row);
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(scope), .t_data = scope};
	Datum *values = palloc(Max(row->natts, 1) * sizeof(Datum));
	bool *nulls = palloc(Max(row->natts, 1) * sizeof(bool));
	uint64 salt = 0;

	ItemPointerSetInvalid(&tuple.t_self);
	heap_deform_tuple(&tuple, row, values, nulls);
	for (int i = 0; i < row->natts; i++)
		salt =
			nulls[i] ? ScopeSaltNull(salt) : ScopeSaltExact(salt, &columns->columns[i], values[i]);
	pfree(values);
	pfree(nulls);
	ReleaseTupleDesc(row);
	return salt;
}

/* tokens_within(tokens, scope): the set with its tokens hashed together with the scope. */
Datum
tokens_within(PG_FUNCTION_ARGS)
{
	Tokenset *set = PG_GETARG_TOKENSET(0);
	uint64 salt = salt_of_scope(fcinfo->flinfo, PG_GETARG_HEAPTUPLEHEADER(1));
	int32 count = TokensetCount(set);
	Token *tokens = palloc_extended(Max(count, 1) * sizeof(Token), MCXT_ALLOC_HUGE);

	for (int32 i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		tokens[i] = ScopeToken(salt, set->tokens[i]);
	}
	PG_RETURN_TOKENSET(TokensetFromTokens(tokens, (Size) count));
}
