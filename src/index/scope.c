/*
 * scope.c
 *		Scopes: the columns of an index before the column of the sets.
 *
 * An index on (owner, lang, tokens) answers questions about the sets of one owner in one language.
 * It is still one inverted index. The values of the scope columns make a salt, and the index keeps
 * of each token a hash of salt and token. So rows of different scopes have no token in common, no
 * list has rows of two scopes, and neither have the filters by size, place and signature to know of
 * scopes. Within a scope different tokens have different hashes, so that sets have the sizes and the
 * overlaps that they have without a scope. Two scopes may have the same salt, and two tokens of
 * different scopes the same hash: then a scan finds rows too many, and the recheck of the scope
 * columns drops them.
 *
 * Each row of a scope has one more token, SCOPE_ROW_TOKEN, salted like the others. The list of this
 * token has all rows of the scope, and serves where no other token tells: rows without tokens, the
 * rows that are farthest from a set, and conditions that need no common token. Operands of a scan
 * get the same token. So sizes and overlaps in the index are greater by one than the sizes and
 * overlaps of the sets. For example, {1,2,3} and {2,3,4} of owner 7 are four tokens each, of which
 * they share three.
 *
 * A set may have SCOPE_ROW_TOKEN itself. If it is a row's, then its size is too small by one, as if
 * the row did not have the token. If the operand does not have it either, the row seems to be only
 * more similar than it is, and is found. Predicates are false of empty sets, so that one which seems
 * to be empty is taken as one of a token (set_query.c). If the operand has it, the scan does not look at sets at
 * all, and finds all rows of the scope.
 *
 * A row where a scope column is NULL is in no scope: = is true for no value. The index has it as a
 * row without tokens, for scans of all rows.
 */
#include "postgres.h"

#include "access/genam.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "index/scope.h"
#include "kinds/index_class.h"
#include "scope/salt.h"
#include "scope/scope_column.h"

/* Tokens between two checks for interrupts. */
#define INTERRUPT_STRIDE 65536

static bool
is_scope_column(Relation index, int column)
{
	return OidIsValid(index_getprocid(index, column, INDEX_HASH_FUNCTION));
}

/* Raises feature_not_supported. */
nd_noreturn static void
refuse_columns(Relation index, const char *detail, int column)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("index \"%s\" of access method neardup must have one column of sets, the "
					"last one",
					RelationGetRelationName(index)),
			 errdetail(detail, column),
			 errhint("Name the columns that are compared by = first, and then one of type "
					 "tokenset or tokenset_ball, or a text with the operator class edit_ops.")));
}

/* Raises feature_not_supported if a column is a range, which users mean to be compared by &&. */
static void
refuse_range(Relation index, int column)
{
	Form_pg_attribute attribute = TupleDescAttr(RelationGetDescr(index), column - 1);
	Oid type = index->rd_opcintype[column - 1];

	if (type != ANYRANGEOID && type != ANYMULTIRANGEOID)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("column \"%s\" of index \"%s\" must not be a range",
					NameStr(attribute->attname), RelationGetRelationName(index)),
			 errdetail("The columns of a scope are compared by =, and this one is of type %s.",
					   format_type_be(attribute->atttypid)),
			 errhint("Scopes are of types such as integer, text, date, timestamp, uuid or an enum. "
					 "That ranges overlap can be a condition of a query beside the index.")));
}

void
IndexScopeCheckColumns(Relation index)
{
	int last = IndexScopeColumns(index) + 1;

	for (int column = 1; column <= last; column++)
		refuse_range(index, column);
	for (int column = 1; column < last; column++)
	{
		if (!is_scope_column(index, column))
			refuse_columns(index, "Column %d is a column of sets, and others follow.", column);
	}
	if (is_scope_column(index, last))
		refuse_columns(index, "Column %d, the last one, is none of sets.", last);
}

bool
IndexScopeOfRow(Relation index, const Datum *values, const bool *isnull, uint64 *salt)
{
	*salt = 0;
	for (int column = 1; column <= IndexScopeColumns(index); column++)
	{
		if (isnull[column - 1])
			return false;
		*salt = ScopeSaltHashed(*salt, index_getprocinfo(index, column, INDEX_HASH_FUNCTION),
								index->rd_indcollation[column - 1], values[column - 1]);
	}
	return true;
}

/* Adds the value of a key. Its type may be another one of the operator family than the column's. */
static uint64
scope_add_key(Relation index, const ScanKeyData *key, uint64 salt)
{
	int column = key->sk_attno;
	Oid type = key->sk_subtype;
	Oid family = index->rd_opfamily[column - 1];
	FmgrInfo *function = index_getprocinfo(index, column, INDEX_HASH_FUNCTION);
	FmgrInfo function_of_type;

	if (OidIsValid(type) && type != index->rd_opcintype[column - 1])
	{
		Oid oid = get_opfamily_proc(family, type, type, INDEX_HASH_FUNCTION);

		if (!OidIsValid(oid))
			elog(ERROR, "missing support function %d(%u,%u) in operator family %u",
				 INDEX_HASH_FUNCTION, type, type, family);
		fmgr_info(oid, &function_of_type);
		function = &function_of_type;
	}
	return ScopeSaltHashed(salt, function, index->rd_indcollation[column - 1], key->sk_argument);
}

/* Returns the first key that gives a value for a scope column, or NULL. */
static const ScanKeyData *
key_of_column(const ScanKeyData *keys, int count, int column)
{
	for (int i = 0; i < count; i++)
	{
		if (keys[i].sk_attno == column && keys[i].sk_strategy == INDEX_SCOPE_EQUALS)
			return &keys[i];
	}
	return NULL;
}

bool
IndexScopeOfKeys(Relation index, const ScanKeyData *keys, int count, uint64 *salt)
{
	*salt = 0;
	for (int column = 1; column <= IndexScopeColumns(index); column++)
	{
		const ScanKeyData *key = key_of_column(keys, count, column);

		if (key == NULL)
			return false;
		*salt = scope_add_key(index, key, *salt);
	}
	return true;
}

Tokenset *
IndexScopeSet(uint64 salt, const void *tokens, Size count)
{
	Token *salted;
	Tokenset *set;

	TokensetCheckCount(count + 1);
	salted = palloc_extended((count + 1) * sizeof(Token), MCXT_ALLOC_HUGE);
	for (Size i = 0; i < count; i++)
	{
		Token token;

		if (i % INTERRUPT_STRIDE == 0)
			CHECK_FOR_INTERRUPTS();
		memcpy(&token, (const char *) tokens + i * sizeof(token), sizeof(token));
		salted[i] = ScopeToken(salt, token);
	}
	salted[count] = ScopeToken(salt, SCOPE_ROW_TOKEN);
	set = TokensetFromTokens(salted, count + 1);
	pfree(salted);
	return set;
}
