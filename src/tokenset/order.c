/*
 * order.c
 *		Equality, order and hash of token sets.
 *
 * The order is that of int8 arrays: by the first token that differs, and a
 * set before what it is the beginning of. Equal sets are equal byte for byte,
 * so a B-tree may deduplicate them.
 *
 * These functions run in contexts that outlive many calls (index builds,
 * sorts), hence they free what they detoast.
 */
#include "postgres.h"

#include <xxhash.h>

#include "access/detoast.h"
#include "miscadmin.h"
#include "port/pg_bswap.h"

#include "comparison.h"
#include "tokenset/tokenset.h"

PG_FUNCTION_INFO_V1(tokenset_eq);
PG_FUNCTION_INFO_V1(tokenset_ne);
PG_FUNCTION_INFO_V1(tokenset_cmp);
PG_FUNCTION_INFO_V1(tokenset_hash);
PG_FUNCTION_INFO_V1(tokenset_hash_extended);

int
TokensetCompare(const Tokenset *a, const Tokenset *b)
{
	int32 a_count = TokensetCount(a);
	int32 b_count = TokensetCount(b);
	int32 both = Min(a_count, b_count);

	for (int32 i = 0; i < both; i++)
	{
		if (a->tokens[i] != b->tokens[i])
			return a->tokens[i] < b->tokens[i] ? -1 : 1;
		CHECK_FOR_INTERRUPTS();
	}
	return a_count < b_count ? -1 : a_count > b_count;
}

#ifdef WORDS_BIGENDIAN

uint64
TokensetHash(const Tokenset *set, uint64 seed)
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

uint64
TokensetHash(const Tokenset *set, uint64 seed)
{
	return XXH3_64bits_withSeed(set->tokens, (Size) TokensetCount(set) * sizeof(Token), seed);
}

#endif

/* Sets of unequal size are not even fetched. */
static bool
datums_equal(Datum left, Datum right)
{
	Tokenset *a;
	Tokenset *b;
	bool equal;

	if (toast_raw_datum_size(left) != toast_raw_datum_size(right))
		return false;

	a = DatumGetTokenset(left);
	b = DatumGetTokenset(right);
	equal = memcmp(a->tokens, b->tokens, (Size) TokensetCount(a) * sizeof(Token)) == 0;
	if ((Pointer) a != DatumGetPointer(left))
		pfree(a);
	if ((Pointer) b != DatumGetPointer(right))
		pfree(b);
	return equal;
}

static int
compare_arguments(FunctionCallInfo fcinfo)
{
	Tokenset *a = PG_GETARG_TOKENSET(0);
	Tokenset *b = PG_GETARG_TOKENSET(1);
	int order = TokensetCompare(a, b);

	PG_FREE_IF_COPY(a, 0);
	PG_FREE_IF_COPY(b, 1);
	return order;
}

Datum
tokenset_eq(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(datums_equal(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1)));
}

Datum
tokenset_ne(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(!datums_equal(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1)));
}

COMPARISON_FUNCTION(tokenset_lt, compare_arguments, <);
COMPARISON_FUNCTION(tokenset_le, compare_arguments, <=);
COMPARISON_FUNCTION(tokenset_gt, compare_arguments, >);
COMPARISON_FUNCTION(tokenset_ge, compare_arguments, >=);

Datum
tokenset_cmp(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(compare_arguments(fcinfo));
}

/* The low half of the extended hash with seed 0, as hash operator classes must have it. */
Datum
tokenset_hash(PG_FUNCTION_ARGS)
{
	Tokenset *set = PG_GETARG_TOKENSET(0);
	uint64 hash = TokensetHash(set, 0);

	PG_FREE_IF_COPY(set, 0);
	PG_RETURN_UINT32((uint32) hash);
}

Datum
tokenset_hash_extended(PG_FUNCTION_ARGS)
{
	Tokenset *set = PG_GETARG_TOKENSET(0);
	uint64 hash = TokensetHash(set, (uint64) PG_GETARG_INT64(1));

	PG_FREE_IF_COPY(set, 0);
	PG_RETURN_UINT64(hash);
}
