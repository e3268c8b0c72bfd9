/*
 * key_numbers.c
 *		Numbers of keys of any type with a B-tree order and a hash function.
 *
 * An entry of the hash table has the number of a key, by which the JoinKeys have the key itself.
 * The key of a look-up has no number yet: PROBE.
 */
#include "postgres.h"

#include <xxhash.h>

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "rows/key_numbers.h"

#define PROBE PG_UINT32_MAX

typedef struct KeyNumber
{
	uint32 number;
	uint32 hash;
	char status;
} KeyNumber;

struct KeyNumbers
{
	JoinKeys *keys;
	TypeCacheEntry *type; /* NULL for integers */
	Datum probe;
	int64 probe_integer;
	struct key_numbers_hash *table;
};

static int64
integer_of(const KeyNumbers *numbers, uint32 number)
{
	return number == PROBE ? numbers->probe_integer : numbers->keys->integers[number];
}

static Datum
datum_of(const KeyNumbers *numbers, uint32 number)
{
	return number == PROBE ? numbers->probe : numbers->keys->values[number];
}

static uint32
hash_of_number(const KeyNumbers *numbers, uint32 number)
{
	if (numbers->type == NULL)
	{
		int64 key = integer_of(numbers, number);

		return (uint32) XXH3_64bits(&key, sizeof(key));
	}
	return DatumGetUInt32(FunctionCall1Coll(&numbers->type->hash_proc_finfo,
											numbers->keys->collation, datum_of(numbers, number)));
}

static bool
is_equal(const KeyNumbers *numbers, uint32 a, uint32 b)
{
	if (numbers->type == NULL)
		return integer_of(numbers, a) == integer_of(numbers, b);
	return DatumGetBool(FunctionCall2Coll(&numbers->type->eq_opr_finfo, numbers->keys->collation,
										  datum_of(numbers, a), datum_of(numbers, b)));
}

#define SH_PREFIX key_numbers
#define SH_ELEMENT_TYPE KeyNumber
#define SH_KEY_TYPE uint32
#define SH_KEY number
#define SH_HASH_KEY(table, key) hash_of_number((table)->private_data, key)
#define SH_EQUAL(table, a, b) is_equal((table)->private_data, a, b)
#define SH_STORE_HASH
#define SH_GET_HASH(table, entry) (entry)->hash
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

static TypeCacheEntry *
hashed_type_or_error(Oid type)
{
	TypeCacheEntry *entry =
		lookup_type_cache(type, TYPECACHE_HASH_PROC_FINFO | TYPECACHE_EQ_OPR_FINFO);

	if (!OidIsValid(entry->hash_proc_finfo.fn_oid))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("could not identify a hash function for type %s", format_type_be(type)),
				 errhint("Cast the keys to a type with a default hash operator class, "
						 "such as text.")));
	return entry;
}

KeyNumbers *
KeyNumbersCreate(JoinKeys *keys)
{
	KeyNumbers *numbers = MemoryContextAllocZero(keys->context, sizeof(KeyNumbers));

	numbers->keys = keys;
	numbers->type = keys->is_integer ? NULL : hashed_type_or_error(keys->type);
	numbers->table = key_numbers_create(keys->context, 1024, numbers);
	return numbers;
}

static void
keep_one_spelling(JoinKeys *keys, uint32 number, Datum key)
{
	Oid output;
	bool is_varlena;

	if (datum_image_eq(keys->values[number], key, keys->type_by_value, keys->type_length))
		return;
	getTypeOutputInfo(keys->type, &output, &is_varlena);
	if (strcmp(OidOutputFunctionCall(output, key),
			   OidOutputFunctionCall(output, keys->values[number])) < 0)
		JoinKeysReplace(keys, number, key);
}

static void
set_probe(KeyNumbers *numbers, Datum key)
{
	numbers->probe = key;
	if (numbers->keys->is_integer)
		numbers->probe_integer = JoinKeysInteger(numbers->keys, key);
}

uint32
KeyNumbersOf(KeyNumbers *numbers, Datum key, bool *is_new)
{
	JoinKeys *keys = numbers->keys;
	KeyNumber *entry;
	bool found;

	set_probe(numbers, key);
	entry = key_numbers_insert(numbers->table, PROBE, &found);
	*is_new = !found;
	if (!found)
	{
		if (keys->count == KEY_NUMBERS_MAX)
			ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("too many keys"),
							errdetail("There may be at most %u different keys.", KEY_NUMBERS_MAX)));
		entry->number = keys->count;
		JoinKeysAppend(keys, key);
	}
	else if (!keys->is_integer)
		keep_one_spelling(keys, entry->number, key);
	return entry->number;
}

uint32
KeyNumbersFind(KeyNumbers *numbers, Datum key)
{
	const KeyNumber *entry;

	set_probe(numbers, key);
	entry = key_numbers_lookup(numbers->table, PROBE);
	return entry == NULL ? NO_ROW : entry->number;
}

void
KeyNumbersFree(KeyNumbers *numbers)
{
	key_numbers_destroy(numbers->table);
	pfree(numbers);
}
