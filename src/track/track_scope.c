/*
 * track_scope.c
 *		Sets of tracked tables within a scope.
 *
 * Rows of different scopes must not be similar. So the set that is recorded of a row has its tokens
 * hashed together with the values of the scope, as an index with scope columns does: sets of one
 * scope are as similar as before, and those of different scopes have no token in common. All else
 * follows: a row whose scope changes has another set, and is recorded like any change; lists of the
 * index and locks of tokens are those of one scope.
 *
 * An index rechecks the values of the scope in the table, and here nothing does. So different values
 * must have different hashes as surely as different texts have different tokens, which the hash
 * functions of types do not ensure: that of bigint returns the same for many. Where values that are
 * equal have equal bytes, which the operator class of the B-tree tells, all bytes are hashed. Only
 * for other types, such as numeric or text that ignores case, the type's hash function is taken.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/nbtree.h"
#include "access/tupdesc.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "compat.h"
#include "index/format_hash.h"
#include "text/token_of_bytes.h"
#include "tokenset/tokenset.h"

PG_FUNCTION_INFO_V1(tokens_within);

/* The hash of NULL, which is mixed once more than that of a value. */
#define HASH_OF_NULL UINT64CONST(0x6e756c6c)

/* How a column of the scope is hashed. */
typedef struct ScopeColumn
{
	Oid type;
	Oid collation;
	bool by_bytes;
	bool by_value;
	int16 length;
	FmgrInfo hash; /* unless by bytes */
} ScopeColumn;

/* The columns of the previous call, kept in fn_extra. */
typedef struct ScopeColumns
{
	int count;
	ScopeColumn columns[FLEXIBLE_ARRAY_MEMBER];
} ScopeColumns;

/* Whether equal values of a type have equal bytes. */
static bool
equal_bytes(const TypeCacheEntry *type, Oid collation)
{
	Oid function = !OidIsValid(type->btree_opf)
					   ? InvalidOid
					   : get_opfamily_proc(type->btree_opf, type->btree_opintype,
										   type->btree_opintype, BTEQUALIMAGE_PROC);

	return OidIsValid(function) &&
		   DatumGetBool(
			   OidFunctionCall1Coll(function, collation, ObjectIdGetDatum(type->btree_opintype)));
}

/* Raises undefined_function if values of the type cannot be hashed. */
static void
describe_column(ScopeColumn *column, Oid type_id, Oid collation, MemoryContext context)
{
	TypeCacheEntry *type =
		lookup_type_cache(type_id, TYPECACHE_BTREE_OPFAMILY | TYPECACHE_HASH_EXTENDED_PROC_FINFO);

	*column = (ScopeColumn){.type = type_id,
							.collation = collation,
							.by_bytes = equal_bytes(type, collation),
							.by_value = type->typbyval,
							.length = type->typlen};
	if (column->by_bytes)
		return;
	if (!OidIsValid(type->hash_extended_proc_finfo.fn_oid))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("type %s of a scope cannot be hashed", format_type_be(type_id)),
				 errdetail("It has neither a hash function nor a B-tree order by which equal "
						   "values have equal bytes.")));
	fmgr_info_copy(&column->hash, &type->hash_extended_proc_finfo, context);
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
			describe_column(&scope->columns[i], column->atttypid, column->attcollation,
							call->fn_mcxt);
	}
	call->fn_extra = scope;
	return scope;
}

static uint64
hash_of_value(ScopeColumn *column, Datum value)
{
	struct varlena *bytes;
	uint64 hash;

	if (!column->by_bytes)
		return DatumGetUInt64(
			FunctionCall2Coll(&column->hash, column->collation, value, Int64GetDatum(0)));
	/* Integers of all widths are extended to the same number. */
	if (column->by_value)
		return (uint64) value;
	if (column->length > 0)
		return (uint64) TokenOfBytes(DatumGetPointer(value), column->length);
	bytes = PG_DETOAST_DATUM_PACKED(value);
	hash = (uint64) TokenOfBytes(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
	if ((Pointer) bytes != DatumGetPointer(value))
		pfree(bytes);
	return hash;
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
		salt = nulls[i] ? IndexMix(IndexScopeSalt(salt, HASH_OF_NULL))
						: IndexScopeSalt(salt, hash_of_value(&columns->columns[i], values[i]));
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
		tokens[i] = IndexSaltToken(salt, set->tokens[i]);
	}
	PG_RETURN_TOKENSET(TokensetFromTokens(tokens, (Size) count));
}
