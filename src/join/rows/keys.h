/*
 * keys.h
 *		The keys of the rows that a join reads.
 *
 * The kernel knows rows by number; this is where a number turns back into the
 * key that the user's query gave.
 */
#ifndef NEARDUP_JOIN_KEYS_H
#define NEARDUP_JOIN_KEYS_H

#include "catalog/pg_attribute.h"
#include "catalog/pg_type.h"

#include "kernel/host.h"

/* Which keys a query may have. */
typedef enum KeyPolicy
{
	KEYS_INTEGER, /* int2, int4 or int8 */
	KEYS_OF_TYPE, /* key_type and nothing else */
	KEYS_SORTABLE /* any type */
} KeyPolicy;

typedef struct JoinKeys
{
	MemoryContext context;
	JoinHost *host; /* whose memory the arrays are; NULL where they are in the context */
	Oid type;		/* of the keys that are appended; integer types may mix */
	Oid collation;
	int16 type_length;
	bool type_by_value;
	bool is_integer; /* int2, int4 or int8 */

	uint32 count;
	uint32 capacity;
	/* Of the type's B-tree order; InvalidOid for integer keys, and if keys are not compared. */
	Oid less_operator;
	/* Integer keys themselves; for other types, set by JoinKeysRank, the key's place in its order. */
	int64 *order;
	Datum *values; /* copies of the keys; NULL for integer keys */
} JoinKeys;

extern bool JoinKeyTypeIsInteger(Oid type);

/*
 * The type of the keys in a column of a query, which for integers is the base
 * type of a domain; datatype_mismatch where the policy does not have it. The key_type
 * is for KEYS_OF_TYPE.
 */
extern Oid JoinKeyColumnType(Form_pg_attribute attribute, KeyPolicy policy, Oid key_type);

/*
 * Keys are kept in the given context, which should be theirs alone, and the arrays in the
 * memory of the host, which may be NULL: then in the context as well.
 * undefined_function where they are to be compared and the type has no
 * B-tree order.
 */
extern void JoinKeysInit(JoinKeys *keys, MemoryContext context, JoinHost *host, Oid type,
						 Oid collation, bool are_compared);

/* Another image of the key of a row, equal to it, takes its place; not for integers. */
extern void JoinKeysReplace(JoinKeys *keys, uint32 row, Datum key);

/* Of the arrays. */
static inline Size
JoinKeysElementBytes(const JoinKeys *keys)
{
	return sizeof(int64) + (keys->is_integer ? 0 : sizeof(Datum));
}

/* An integer key, of the present type, as 64 bits. */
static inline int64
JoinKeysInteger(const JoinKeys *keys, Datum key)
{
	if (keys->type == INT4OID)
		return DatumGetInt32(key);
	return keys->type == INT2OID ? DatumGetInt16(key) : DatumGetInt64(key);
}

/* Room for more keys. */
extern void JoinKeysGrow(JoinKeys *keys);

/*
 * How many keys ahead their place is asked for. There is so much between two keys that processors
 * do not see that one follows the other.
 */
#define JOIN_KEYS_AHEAD 16

/* Appends a key of one of the integer types. */
static inline void
JoinKeysAppendInt64(JoinKeys *keys, int64 key)
{
	if (keys->count == keys->capacity)
		JoinKeysGrow(keys);
	__builtin_prefetch(&keys->order[keys->count + JOIN_KEYS_AHEAD], 1);
	keys->order[keys->count++] = key;
}

/* Appends a copy of a key of another type. */
extern void JoinKeysAppendValue(JoinKeys *keys, Datum key);

/* The key of the next row, which is row number keys->count; at most 2^31 rows. */
static inline void
JoinKeysAppend(JoinKeys *keys, Datum key)
{
	if (keys->is_integer)
		JoinKeysAppendInt64(keys, JoinKeysInteger(keys, key));
	else
		JoinKeysAppendValue(keys, key);
}

/* Bytes that the arrays take. */
static inline Size
JoinKeysArrayBytes(const JoinKeys *keys)
{
	return keys->capacity * JoinKeysElementBytes(keys);
}

/* Gives back the room for more keys. */
extern void JoinKeysTrim(JoinKeys *keys);

/* Forgets all keys and frees the arrays; those who own the context reset it. */
extern void JoinKeysClear(JoinKeys *keys);

/*
 * Prepares comparisons; once, after the last key. Equal keys have the same
 * place. Sorts in so many kilobytes, beyond them in files.
 */
extern void JoinKeysRank(JoinKeys *keys, int sort_memory);

/* Whether each ranked key is greater than that of the row before: then rows compare as keys do. */
extern bool JoinKeysAscend(const JoinKeys *keys);

static inline int
JoinKeysCompare(const JoinKeys *keys, uint32 a, uint32 b)
{
	return keys->order[a] < keys->order[b] ? -1 : keys->order[a] > keys->order[b];
}

/* The key as its own type; JoinKeysInt64 for integer keys. */
extern Datum JoinKeysDatum(const JoinKeys *keys, uint32 row);

static inline int64
JoinKeysInt64(const JoinKeys *keys, uint32 row)
{
	return keys->order[row];
}

/* The key as a result column has it: of KEYS_INTEGER a bigint, else its own type. */
static inline Datum
JoinKeysResult(const JoinKeys *keys, KeyPolicy policy, uint32 row)
{
	return policy == KEYS_INTEGER ? Int64GetDatum(JoinKeysInt64(keys, row))
								  : JoinKeysDatum(keys, row);
}

/* The key in the text form of its type. */
extern char *JoinKeyText(const JoinKeys *keys, uint32 row);

#endif
