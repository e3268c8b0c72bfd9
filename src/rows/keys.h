/*
 * keys.h
 *		Keys of a join's rows, by row number.
 */
#ifndef NEARDUP_JOIN_KEYS_H
#define NEARDUP_JOIN_KEYS_H

#include "catalog/pg_attribute.h"
#include "catalog/pg_type.h"

#include "compat.h"
#include "kernel/host.h"

/* Stands for no row where a number of rows, of their groups or of their keys is meant. */
#define NO_ROW PG_UINT32_MAX

typedef enum KeyPolicy
{
	KEYS_INTEGER, /* int2, int4 or int8 */
	KEYS_OF_TYPE, /* key_type */
	KEYS_SORTABLE /* any type */
} KeyPolicy;

typedef struct JoinKeys
{
	MemoryContext context;
	JoinHost *host; /* allocates the arrays; if NULL, the context does */
	Oid type;		/* type of the next key; integer types may mix */
	Oid collation;
	int16 type_length;
	bool type_by_value;
	bool is_integer;

	uint32 count;
	uint32 capacity;
	/* The operator < of the B-tree order; invalid if keys are integers or not compared. */
	Oid less_operator;
	/* One array by row number, under the name of what it holds, which the type of the keys decides. */
	union
	{
		int64 *integers; /* of integer types: the keys themselves */
		int64 *ranks;	 /* of other types that are compared: what JoinKeysRank sets */
		int64 *
			file_rows; /* of types that are not: the rows' numbers in the file that they come from */
		int64 *order;  /* integers or ranks: rows compare as these do */
	};
	Datum *values; /* NULL for integer keys */
} JoinKeys;

extern bool JoinKeyTypeIsInteger(Oid type);

/*
 * Returns the type of a key column; of a domain, the type below it, unless the policy is
 * KEYS_OF_TYPE. Raises datatype_mismatch if the policy excludes the type.
 */
extern Oid JoinKeyColumnType(Form_pg_attribute attribute, KeyPolicy policy, Oid key_type);

/*
 * Prepares for keys of a type. Those by reference are copied into `context`, which is theirs alone;
 * `host` may be NULL. Raises undefined_function if keys are compared and the type has no B-tree
 * order.
 */
extern void JoinKeysInit(JoinKeys *keys, MemoryContext context, JoinHost *host, Oid type,
						 Oid collation, bool are_compared);

/* Replaces a key, which is no integer, by a copy of an equal one. */
extern void JoinKeysReplace(JoinKeys *keys, uint32 row, Datum key);

/* Returns the bytes of the arrays for each key. */
static inline Size
JoinKeysElementBytes(const JoinKeys *keys)
{
	return sizeof(int64) + (keys->is_integer ? 0 : sizeof(Datum));
}

static inline int64
JoinKeysInteger(const JoinKeys *keys, Datum key)
{
	if (keys->type == INT4OID)
		return DatumGetInt32(key);
	return keys->type == INT2OID ? DatumGetInt16(key) : DatumGetInt64(key);
}

/* Doubles the arrays. */
extern void JoinKeysGrow(JoinKeys *keys);

/* Prefetch distance, in keys: these come too rarely for the processor to prefetch by itself. */
#define JOIN_KEYS_AHEAD 16

static inline void
JoinKeysAppendInt64(JoinKeys *keys, int64 key)
{
	if (keys->count == keys->capacity)
		JoinKeysGrow(keys);
	__builtin_prefetch(&keys->integers[keys->count + JOIN_KEYS_AHEAD], 1);
	keys->integers[keys->count++] = key;
}

/* Appends a copy of a key that is no integer. */
extern void JoinKeysAppendValue(JoinKeys *keys, Datum key);

/* Appends a copy of the key of row number keys->count, below 2^31. */
static inline void
JoinKeysAppend(JoinKeys *keys, Datum key)
{
	if (keys->is_integer)
		JoinKeysAppendInt64(keys, JoinKeysInteger(keys, key));
	else
		JoinKeysAppendValue(keys, key);
}

static inline Size
JoinKeysArrayBytes(const JoinKeys *keys)
{
	return keys->capacity * JoinKeysElementBytes(keys);
}

/* Returns the bytes of the arrays when they have grown to this many keys. */
extern Size JoinKeysGrownBytes(const JoinKeys *keys, uint64 count);

/* Frees unused capacity. */
extern void JoinKeysTrim(JoinKeys *keys);

/* Forgets the keys and frees the host's arrays; the caller resets the context. */
extern void JoinKeysClear(JoinKeys *keys);

/*
 * Called once, after the last key and before JoinKeysCompare: sorts the keys in `sort_memory`
 * kilobytes, beyond them in files. Equal keys have one rank.
 */
extern void JoinKeysRank(JoinKeys *keys, int sort_memory);

/* Whether ranked keys ascend strictly, so that rows compare as their keys do. */
extern bool JoinKeysAscend(const JoinKeys *keys);

static inline int
JoinKeysCompare(const JoinKeys *keys, uint32 a, uint32 b)
{
	return keys->order[a] < keys->order[b] ? -1 : keys->order[a] > keys->order[b];
}

/* Returns the key as a value of its own type; one by reference is not copied. */
extern Datum JoinKeysDatum(const JoinKeys *keys, uint32 row);

static inline int64
JoinKeysInt64(const JoinKeys *keys, uint32 row)
{
	return keys->integers[row];
}

/* Returns the key as a result has it: a bigint under KEYS_INTEGER, else as JoinKeysDatum does. */
static inline Datum
JoinKeysResult(const JoinKeys *keys, KeyPolicy policy, uint32 row)
{
	return policy == KEYS_INTEGER ? nd_int64_datum(&keys->integers[row]) : JoinKeysDatum(keys, row);
}

/* Returns the text form of a key, palloc'd. */
extern char *JoinKeyText(const JoinKeys *keys, uint32 row);

#endif
