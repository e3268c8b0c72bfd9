/*
 * track_scope.c
 *		Sets of tracked tables within a scope.
 *
 * Rows of different scopes must not be similar. So the set that is recorded of a row has its tokens
 * hashed together with the values of the scope, as an index with scope columns does: sets of one
 * scope are as similar as before, and those of different scopes have no token in common. All else
 * follows: a row whose scope changes has another set, and is recorded like any change; lists of the
 * index and locks of tokens are those of one scope.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/fmgroids.h"

#include "index/format_hash.h"
#include "tokenset/tokenset.h"

PG_FUNCTION_INFO_V1(tokens_within);

/* Hashes a row of values with the types' own functions, so that equal values have equal hashes. */
static uint64
hash_of_scope(FunctionCallInfo fcinfo, Datum scope)
{
	FmgrInfo *hash = fcinfo->flinfo->fn_extra;

	if (hash == NULL)
	{
		hash = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(FmgrInfo));
		fmgr_info_cxt(F_HASH_RECORD_EXTENDED, hash, fcinfo->flinfo->fn_mcxt);
		fcinfo->flinfo->fn_extra = hash;
	}
	return DatumGetUInt64(FunctionCall2Coll(hash, InvalidOid, scope, Int64GetDatum(0)));
}

/* tokens_within(tokens, scope): the set with its tokens hashed together with the scope. */
Datum
tokens_within(PG_FUNCTION_ARGS)
{
	Tokenset *set = PG_GETARG_TOKENSET(0);
	uint64 salt = IndexScopeSalt(0, hash_of_scope(fcinfo, PG_GETARG_DATUM(1)));
	int32 count = TokensetCount(set);
	Token *tokens = palloc_extended(Max(count, 1) * sizeof(Token), MCXT_ALLOC_HUGE);

	for (int32 i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		tokens[i] = IndexSaltToken(salt, set->tokens[i]);
	}
	PG_RETURN_TOKENSET(TokensetFromTokens(tokens, (Size) count));
}
