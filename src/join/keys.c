/*
 * keys.c
 *		Row keys of any type with a B-tree order.
 *
 * A join compares keys once for each pair of rows, so keys that are not
 * integers are sorted once, and their places compared instead.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/sortsupport.h"
#include "utils/typcache.h"

#include "join/keys.h"

bool
JoinKeyTypeIsInteger(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID;
}

void
JoinKeysInit(JoinKeys *keys, MemoryContext context, Oid type, Oid collation)
{
	memset(keys, 0, sizeof(*keys));
	keys->context = context;
	keys->type = type;
	keys->collation = collation;
	keys->is_integer = JoinKeyTypeIsInteger(type);
	get_typlenbyval(type, &keys->type_length, &keys->type_by_value);
}

static void
grow(JoinKeys *keys)
{
	uint32 capacity = keys->capacity == 0 ? 1024 : keys->capacity;

	if (keys->count == JOIN_MAX_ROWS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("too many rows in a similarity join"),
						errdetail("A join reads at most %u rows with tokens.", JOIN_MAX_ROWS)));
	if (keys->capacity > 0)
		capacity = Min((uint64) capacity * 2, JOIN_MAX_ROWS);
	if (keys->capacity == 0)
	{
		keys->order = MemoryContextAllocHuge(keys->context, capacity * sizeof(int64));
		if (!keys->is_integer)
			keys->values = MemoryContextAllocHuge(keys->context, capacity * sizeof(Datum));
	}
	else
	{
		keys->order = repalloc_huge(keys->order, capacity * sizeof(int64));
		if (!keys->is_integer)
			keys->values = repalloc_huge(keys->values, capacity * sizeof(Datum));
	}
	keys->capacity = capacity;
}

static int64
integer_key(Oid type, Datum key)
{
	switch (type)
	{
		case INT2OID:
			return DatumGetInt16(key);
		case INT4OID:
			return DatumGetInt32(key);
		default:
			return DatumGetInt64(key);
	}
}

uint32
JoinKeysAppend(JoinKeys *keys, Datum key)
{
	if (keys->count == keys->capacity)
		grow(keys);
	if (keys->is_integer)
		keys->order[keys->count] = integer_key(keys->type, key);
	else
	{
		MemoryContext previous = MemoryContextSwitchTo(keys->context);

		/* A toasted key is fetched now: its row may be gone when pairs are returned. */
		if (keys->type_length == -1)
			keys->values[keys->count] = PointerGetDatum(PG_DETOAST_DATUM_COPY(key));
		else
			keys->values[keys->count] = datumCopy(key, keys->type_by_value, keys->type_length);
		MemoryContextSwitchTo(previous);
	}
	return keys->count++;
}

typedef struct KeyOrder
{
	SortSupport sort;
	const Datum *values;
} KeyOrder;

static inline int
compare_rows(const uint32 *a, const uint32 *b, KeyOrder *order)
{
	CHECK_FOR_INTERRUPTS();
	return ApplySortComparator(order->values[*a], false, order->values[*b], false, order->sort);
}

#define ST_SORT sort_rows
#define ST_ELEMENT_TYPE uint32
#define ST_COMPARE(a, b, order) compare_rows(a, b, order)
#define ST_COMPARE_ARG_TYPE KeyOrder
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

void
JoinKeysRank(JoinKeys *keys)
{
	TypeCacheEntry *type = lookup_type_cache(keys->type, TYPECACHE_LT_OPR);
	SortSupportData sort;
	KeyOrder order = {&sort, keys->values};
	uint32 *rows;
	int64 place = 0;

	if (keys->is_integer)
		return;
	if (!OidIsValid(type->lt_opr))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FUNCTION),
						errmsg("could not identify an ordering operator for type %s",
							   format_type_be(keys->type)),
						errhint("Keys of a similarity join need a type with a default B-tree "
								"operator class.")));
	if (keys->count == 0)
		return;

	memset(&sort, 0, sizeof(sort));
	sort.ssup_cxt = keys->context;
	sort.ssup_collation = keys->collation;
	PrepareSortSupportFromOrderingOp(type->lt_opr, &sort);

	rows = MemoryContextAllocHuge(keys->context, keys->count * sizeof(uint32));
	for (uint32 i = 0; i < keys->count; i++)
		rows[i] = i;
	sort_rows(rows, keys->count, &order);
	for (uint32 i = 0; i < keys->count; i++)
	{
		if (i > 0 && compare_rows(&rows[i - 1], &rows[i], &order) != 0)
			place++;
		keys->order[rows[i]] = place;
	}
	pfree(rows);
}

Datum
JoinKeysDatum(const JoinKeys *keys, uint32 row)
{
	switch (keys->type)
	{
		case INT2OID:
			return Int16GetDatum(keys->order[row]);
		case INT4OID:
			return Int32GetDatum(keys->order[row]);
		case INT8OID:
			return Int64GetDatum(keys->order[row]);
		default:
			return keys->values[row];
	}
}
