/*
 * order.c
 *		Equality, order and hash of sketches.
 *
 * Sketches are ordered by kind (profile, bits, k, seed), then the sketch of the empty set comes
 * first, then by words. The order means nothing, but it serves B-trees, DISTINCT and GROUP BY.
 * Equal sketches are equal bytes, so that a B-tree may deduplicate them. Sorts call these functions
 * often in one memory context, so each frees what it detoasts.
 */
#include "postgres.h"

#include "comparison.h"
#include "compat.h"
#include "sketch/band.h"
#include "minhash/minhash.h"

static uint32
word_count(const Minhash *sketch)
{
	return (VARSIZE(sketch) - MINHASH_HEADER_SIZE) / sizeof(uint32);
}

/* Returns from the function with the order of x and y, unless they are equal. */
#define COMPARE(x, y)                                                                              \
	do                                                                                             \
	{                                                                                              \
		if ((x) != (y))                                                                            \
			return (x) < (y) ? -1 : 1;                                                             \
	} while (0)

static int
minhash_compare(const Minhash *a, const Minhash *b)
{
	uint32 words = word_count(a);

	COMPARE(a->profile, b->profile);
	COMPARE(a->bits, b->bits);
	COMPARE(a->k, b->k);
	COMPARE((int64) a->seed, (int64) b->seed);
	COMPARE(!a->is_empty, !b->is_empty);
	for (uint32 i = 0; i < words; i++)
		COMPARE(a->words[i], b->words[i]);
	return 0;
}

static int
minhash_compare_arguments(FunctionCallInfo fcinfo)
{
	Minhash *a = PG_GETARG_MINHASH(0);
	Minhash *b = PG_GETARG_MINHASH(1);
	int order = minhash_compare(a, b);

	PG_FREE_IF_COPY(a, 0);
	PG_FREE_IF_COPY(b, 1);
	return order;
}

EQUALITY_FUNCTIONS(minhash, minhash_compare_arguments);
ORDER_FUNCTIONS(minhash, minhash_compare_arguments);

/* Hashes the kind and the words as little-endian numbers. */
static uint64
hash(const Minhash *sketch, uint64 seed)
{
	uint32 words = word_count(sketch);
	uint32 count = 5 + words;
	uint32 *numbers = palloc((Size) count * sizeof(uint32));
	uint64 result;

	numbers[0] = sketch->profile;
	numbers[1] = sketch->bits;
	numbers[2] = (uint32) sketch->k;
	numbers[3] = (uint32) sketch->seed;
	numbers[4] = (uint32) (sketch->seed >> 32);
	memcpy(numbers + 5, sketch->words, (Size) words * sizeof(uint32));
	ToLittleEndian(numbers, count);
	result = XXH3_64bits_withSeed(numbers, (Size) count * sizeof(uint32), seed);
	pfree(numbers);
	return result;
}

static uint64
minhash_hash_datum(Datum value, uint64 seed)
{
	Minhash *sketch = DatumGetMinhash(value);
	uint64 result = hash(sketch, seed);

	if ((Pointer) sketch != DatumGetPointer(value))
		pfree(sketch);
	return result;
}

HASH_FUNCTIONS(minhash, minhash_hash_datum);
