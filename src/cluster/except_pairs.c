/*
 * except_pairs.c
 *		Pairs of keys that somebody has decided are different.
 *
 * Keys get numbers as they occur, by which a hash table has the pairs, the lesser number first.
 */
#include "postgres.h"

#include <xxhash.h>

#include "miscadmin.h"

#include "cluster/except_pairs.h"
#include "cluster/key_pairs.h"

typedef struct ExceptPair
{
	uint64 pair;
	char status;
} ExceptPair;

#define SH_PREFIX except
#define SH_ELEMENT_TYPE ExceptPair
#define SH_KEY_TYPE uint64
#define SH_KEY pair
#define SH_HASH_KEY(table, key) ((uint32) XXH3_64bits(&(key), sizeof(key)))
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

struct ExceptPairs
{
	KeyPairs keys;
	struct except_hash *table;
};

static uint64
except_pair(uint32 a, uint32 b)
{
	return (uint64) Min(a, b) << 32 | Max(a, b);
}

static void
put_pair(void *context, uint32 a, uint32 b)
{
	ExceptPairs *pairs = context;
	bool found;

	CHECK_FOR_INTERRUPTS();
	(void) except_insert(pairs->table, except_pair(a, b), &found);
}

ExceptPairs *
ExceptPairsRead(const char *query, KeyPolicy policy, Oid key_type, Oid collation)
{
	ExceptPairs *pairs = palloc0(sizeof(ExceptPairs));

	pairs->table = except_create(CurrentMemoryContext, 1024, NULL);
	pairs->keys = (KeyPairs){.name = "except_pairs",
							 .key_policy = policy,
							 .key_type = key_type,
							 .collation = collation,
							 .keeps_numbers = true,
							 .take = put_pair,
							 .take_context = pairs};
	KeyPairsRead(&pairs->keys, query);
	return pairs;
}

uint32
ExceptPairsNumber(ExceptPairs *pairs, Oid type, Datum key)
{
	PairedKeys *side = &pairs->keys.sides[0];

	side->keys.type = type;
	return KeyNumbersFind(side->numbers, key);
}

bool
ExceptPairsHas(const ExceptPairs *pairs, uint32 a, uint32 b)
{
	if (a == EXCEPT_PAIRS_NONE || b == EXCEPT_PAIRS_NONE)
		return false;
	return except_lookup(pairs->table, except_pair(a, b)) != NULL;
}
