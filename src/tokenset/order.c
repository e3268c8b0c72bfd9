/*
 * order.c
 *		Equality, order and hash of token sets.
 *
 * Sets are ordered as int8 arrays are. It means nothing for similarity, but it serves B-trees,
 * DISTINCT and GROUP BY. Equal sets are equal bytes, so that a B-tree may deduplicate them. Sorts
 * call these functions often in one memory context, so each frees what it detoasts.
 */
#include "postgres.h"

#include <xxhash.h>

#include "access/detoast.h"
#include "port/pg_bswap.h"

#include "comparison.h"
#include "tokenset/tokenset.h"

PG_FUNCTION_INFO_V1(tokenset_cmp);
PG_FUNCTION_INFO_V1(tokenset_hash);
PG_FUNCTION_INFO_V1(tokenset_hash_extended);

/* Compares token by token; of two sets that one continues, the shorter one comes first. */
static int
tokenset_compare(const Tokenset *a, const Tokenset *b)
{
	int32 a_count = TokensetCount(a);
	int32 b_count = TokensetCount(b);
	int32 both = Min(a_count, b_count);

	for (int32 i = 0; i < both; i++)
	{
		if (a->tokens[i] != b->tokens[i])
			return a->tokens[i] < b->tokens[i] ? -1 : 1;
	}
	return a_count < b_count ? -1 : a_count > b_count;
}

/* Hashes the tokens as little-endian numbers, so that the hash is the same on every platform. */
#ifdef WORDS_BIGENDIAN

static uint64
hash_tokens(const Tokenset *set, uint64 seed)
{
	int32 count = TokensetCount(set);
	uint64 *bytes = palloc_extended(Max(count, 1) * sizeof(uint64), MCXT_ALLOC_HUGE);
	uint64 hash;

	for (int32 i = 0; i < count; i++)
		bytes[i] = pg_bswap64((uint64) set->tokens[i]);
	hash = XXH3_64bits_withSeed(bytes, (Size) count * sizeof(uint64), seed);
	pfree(bytes);
	return hash;
}

#else

static uint64
hash_tokens(const Tokenset *set, uint64 seed)
{
	return XXH3_64bits_withSeed(set->tokens, (Size) TokensetCount(set) * sizeof(Token), seed);
}

#endif

/* Returns 0 for equal arguments only. Sets of unequal sizes are not fetched. */
static int
tokenset_differ(FunctionCallInfo fcinfo)
{
	Tokenset *a;
	Tokenset *b;
	int result;

	if (toast_raw_datum_size(PG_GETARG_DATUM(0)) != toast_raw_datum_size(PG_GETARG_DATUM(1)))
		return 1;
	a = PG_GETARG_TOKENSET(0);
	b = PG_GETARG_TOKENSET(1);
	result = memcmp(a->tokens, b->tokens, (Size) TokensetCount(a) * sizeof(Token));
	PG_FREE_IF_COPY(a, 0);
	PG_FREE_IF_COPY(b, 1);
	return result;
}

static int
tokenset_compare_arguments(FunctionCallInfo fcinfo)
{
	Tokenset *a = PG_GETARG_TOKENSET(0);
	Tokenset *b = PG_GETARG_TOKENSET(1);
	int order = tokenset_compare(a, b);

	PG_FREE_IF_COPY(a, 0);
	PG_FREE_IF_COPY(b, 1);
	return order;
}

COMPARISON_FUNCTION(tokenset_eq, tokenset_differ, ==);
COMPARISON_FUNCTION(tokenset_ne, tokenset_differ, !=);
COMPARISON_FUNCTION(tokenset_lt, tokenset_compare_arguments, <);
COMPARISON_FUNCTION(tokenset_le, tokenset_compare_arguments, <=);
COMPARISON_FUNCTION(tokenset_gt, tokenset_compare_arguments, >);
COMPARISON_FUNCTION(tokenset_ge, tokenset_compare_arguments, >=);

Datum
tokenset_cmp(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(tokenset_compare_arguments(fcinfo));
}

static uint64
tokenset_hash_argument(FunctionCallInfo fcinfo, uint64 seed)
{
	Tokenset *set = PG_GETARG_TOKENSET(0);
	uint64 hash = hash_tokens(set, seed);

	PG_FREE_IF_COPY(set, 0);
	return hash;
}

/* Returns the low half of the extended hash with seed 0, as hash operator classes require. */
Datum
tokenset_hash(PG_FUNCTION_ARGS)
{
	PG_RETURN_UINT32((uint32) tokenset_hash_argument(fcinfo, 0));
}

Datum
tokenset_hash_extended(PG_FUNCTION_ARGS)
{
	PG_RETURN_UINT64(tokenset_hash_argument(fcinfo, (uint64) PG_GETARG_INT64(1)));
}
