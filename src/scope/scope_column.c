/*
 * scope_column.c
 *		Hashing the values of a column of a scope.
 *
 * The hash functions of types do not tell values apart: the hash function of bigint returns the
 * same for many values, and the one of numeric does not see the sign. So where nothing compares
 * values again, all their bytes are hashed if values that are equal have equal bytes, which the
 * operator class of the B-tree tells; of a numeric, the bytes of its shortest text. The type's hash
 * function is taken only for floating point, and for character types whose equality ignores blanks
 * or follows a collation. Other types are refused.
 */
#include "postgres.h"

#include "access/nbtree.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "compat.h"
#include "scope/salt.h"
#include "scope/scope_column.h"
#include "text/token_of_bytes.h"

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

/* Whether the hash function of a type tells different values apart, but for chance in 64 bits. */
static bool
hash_is_exact(Oid type)
{
	return type == FLOAT4OID || type == FLOAT8OID || type == TEXTOID || type == VARCHAROID ||
		   type == BPCHAROID;
}

/* Whether values of a type are by reference only since a Datum has 4 bytes. */
static bool
is_number_by_reference(const TypeCacheEntry *type)
{
	return !FLOAT8PASSBYVAL && type->typlen == sizeof(int64) && type->typalign == TYPALIGN_DOUBLE;
}

ScopeColumn
ScopeColumnExact(Oid type_id, Oid collation, MemoryContext context)
{
	TypeCacheEntry *type =
		lookup_type_cache(type_id, TYPECACHE_BTREE_OPFAMILY | TYPECACHE_HASH_EXTENDED_PROC_FINFO);
	Oid base = getBaseType(type_id);
	ScopeColumn column = {.type = type_id,
						  .collation = collation,
						  .is_number = type->typbyval || is_number_by_reference(type),
						  .is_numeric = base == NUMERICOID,
						  .length = type->typlen};

	if (column.is_numeric || equal_bytes(type, collation))
		return column;
	if (!hash_is_exact(base) || !OidIsValid(type->hash_extended_proc_finfo.fn_oid))
		ereport(
			ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("type %s cannot be that of a scope", format_type_be(type_id)),
			 errdetail("Equal values of it may have different bytes, so that hashes do not tell "
					   "values apart."),
			 errhint("Cast the value to text, or to another type such as bigint.")));
	column.function = MemoryContextAlloc(context, sizeof(FmgrInfo));
	fmgr_info_copy(column.function, &type->hash_extended_proc_finfo, context);
	return column;
}

static uint64
hash_of_numeric(Datum value)
{
	char *digits = DatumGetCString(
		DirectFunctionCall1(numeric_out, DirectFunctionCall1(numeric_trim_scale, value)));
	uint64 hash = (uint64) TokenOfBytes(digits, strlen(digits));

	pfree(digits);
	return hash;
}

static uint64
hash_of_bytes(const ScopeColumn *column, Datum value)
{
	struct varlena *bytes;
	uint64 hash;

	/* Integers of all widths are extended to the same number. */
	if (column->is_number)
		return column->length == sizeof(int64) ? (uint64) DatumGetInt64(value)
											   : (uint64) (intptr_t) value;
	if (column->length > 0)
		return (uint64) TokenOfBytes(DatumGetPointer(value), column->length);
	bytes = PG_DETOAST_DATUM_PACKED(value);
	hash = (uint64) TokenOfBytes(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
	if ((Pointer) bytes != DatumGetPointer(value))
		pfree(bytes);
	return hash;
}

uint64
ScopeSaltHashed(uint64 salt, FmgrInfo *function, Oid collation, Datum value)
{
	static const int64 no_seed = 0;

	return ScopeSalt(salt, DatumGetUInt64(FunctionCall2Coll(function, collation, value,
															nd_int64_datum(&no_seed))));
}

uint64
ScopeSaltExact(uint64 salt, const ScopeColumn *column, Datum value)
{
	if (column->function != NULL)
		return ScopeSaltHashed(salt, column->function, column->collation, value);
	return ScopeSalt(salt,
					 column->is_numeric ? hash_of_numeric(value) : hash_of_bytes(column, value));
}
