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

EQUALITY_FUNCTIONS(tokenset, tokenset_differ);
ORDER_FUNCTIONS(tokenset, tokenset_compare_arguments);

static uint64
tokenset_hash_datum(Datum value, uint64 seed)
{
	Tokenset *set = DatumGetTokenset(value);
	uint64 result = hash_tokens(set, seed);

	if ((Pointer) set != DatumGetPointer(value))
		pfree(set);
	return result;
}

HASH_FUNCTIONS(tokenset, tokenset_hash_datum);
