/*
 * keys.c
 *		Row keys of any type with a B-tree order.
 *
 * A join compares keys for each pair, so keys that are not integers are sorted once, and their
 * ranks compared.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/sortsupport.h"
#include "utils/tuplesort.h"
#include "utils/typcache.h"

#include "compat.h"
#include "rows/keys.h"

bool
JoinKeyTypeIsInteger(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID;
}

Oid
JoinKeyColumnType(Form_pg_attribute attribute, KeyPolicy policy, Oid key_type)
{
	Oid type = attribute->atttypid;

	if (policy != KEYS_OF_TYPE)
		type = getBaseType(type);
	if (policy == KEYS_INTEGER && !JoinKeyTypeIsInteger(type))
		ereport(
			ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("key column of the query must be of type smallint, integer or bigint"),
			 errdetail("Column \"%s\" is of type %s.", NameStr(attribute->attname),
					   format_type_be(type)),
			 errhint("The _keyed form of the function takes keys of any type with an order, which "
					 "its first argument names, here NULL::%s.",
					 format_type_be(type))));
	if (policy == KEYS_OF_TYPE && type != key_type)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("key column of the query does not have the type of the first "
							   "argument"),
						errdetail("Column \"%s\" is of type %s, the argument of type %s.",
								  NameStr(attribute->attname), format_type_be(type),
								  format_type_be(key_type)),
						errhint("Write NULL::%s as the first argument.", format_type_be(type))));
	return type;
}

void
JoinKeysInit(JoinKeys *keys, MemoryContext context, JoinHost *host, Oid type, Oid collation,
			 bool are_compared)
{
	memset(keys, 0, sizeof(*keys));
	keys->context = context;
	keys->host = host;
	keys->type = type;
	keys->collation = collation;
	keys->is_integer = JoinKeyTypeIsInteger(type);
	get_typlenbyval(type, &keys->type_length, &keys->type_by_value);
	if (!are_compared || keys->is_integer)
		return;
	keys->less_operator = lookup_type_cache(type, TYPECACHE_LT_OPR)->lt_opr;
	if (!OidIsValid(keys->less_operator))
		ereport(
			ERROR,
			(errcode(ERRCODE_UNDEFINED_FUNCTION),
			 errmsg("could not identify an ordering operator for type %s", format_type_be(type)),
			 errhint("Keys of a similarity join need a type with a default B-tree operator "
					 "class.")));
}

#define INITIAL_KEYS ((Size) 1024)

static Size
grown_capacity(const JoinKeys *keys)
{
	return keys->capacity == 0 ? INITIAL_KEYS : (Size) keys->capacity * 2;
}

Size
JoinKeysGrownBytes(const JoinKeys *keys, uint64 count)
{
	Size capacity = INITIAL_KEYS;

	while (capacity < count)
		capacity *= 2;
	return capacity * JoinKeysElementBytes(keys);
}

static void *
resize(const JoinKeys *keys, void *array, Size capacity, Size element_size)
{
	if (keys->host != NULL)
		return JoinEnlarge(keys->host, array, keys->capacity, capacity, element_size);
	if (array == NULL)
		return MemoryContextAllocHuge(keys->context, capacity * element_size);
	return repalloc_huge(array, capacity * element_size);
}

static void
set_capacity(JoinKeys *keys, Size capacity)
{
	keys->order = resize(keys, keys->order, capacity, sizeof(int64));
	if (!keys->is_integer)
		keys->values = resize(keys, keys->values, capacity, sizeof(Datum));
	keys->capacity = capacity;
}

void
JoinKeysGrow(JoinKeys *keys)
{
	set_capacity(keys, grown_capacity(keys));
}

void
JoinKeysTrim(JoinKeys *keys)
{
	if (keys->count > 0)
		set_capacity(keys, keys->count);
}

void
JoinKeysClear(JoinKeys *keys)
{
	if (keys->host != NULL)
	{
		JoinRelease(keys->host, keys->order, keys->capacity, sizeof(int64));
		JoinRelease(keys->host, keys->values, keys->capacity, sizeof(Datum));
	}
	keys->count = keys->capacity = 0;
	keys->order = NULL;
	keys->values = NULL;
}

static Datum
copy_key(const JoinKeys *keys, Datum key)
{
	MemoryContext previous = MemoryContextSwitchTo(keys->context);
	Datum copy;

	/* The key is detoasted now: its row may be gone when pairs are returned. */
	if (keys->type_length == -1)
		copy = PointerGetDatum(PG_DETOAST_DATUM_COPY(key));
	else
		copy = datumCopy(key, keys->type_by_value, keys->type_length);
	MemoryContextSwitchTo(previous);
	return copy;
}

void
JoinKeysAppendValue(JoinKeys *keys, Datum key)
{
	if (keys->count == keys->capacity)
		JoinKeysGrow(keys);
	keys->values[keys->count] = copy_key(keys, key);
	keys->count++;
}

void
JoinKeysReplace(JoinKeys *keys, uint32 row, Datum key)
{
	Datum replaced = keys->values[row];

	keys->values[row] = copy_key(keys, key);
	if (!keys->type_by_value)
		pfree(DatumGetPointer(replaced));
}

/* Returns the descriptor of tuples (key, row). */
static TupleDesc
key_row_descriptor(const JoinKeys *keys)
{
	TupleDesc descriptor = CreateTemplateTupleDesc(2);

	TupleDescInitEntry(descriptor, 1, "key", keys->type, -1, 0);
	TupleDescInitEntryCollation(descriptor, 1, keys->collation);
	TupleDescInitEntry(descriptor, 2, "row", INT4OID, -1, 0);
	nd_finish_tuple_desc(descriptor);
	return descriptor;
}

static Tuplesortstate *
sort_keys_with_rows(const JoinKeys *keys, TupleDesc descriptor, int sort_memory)
{
	AttrNumber column = 1;
	Oid less_operator = keys->less_operator;
	Oid collation = keys->collation;
	bool nulls_first = false;
	TupleTableSlot *slot = MakeSingleTupleTableSlot(descriptor, &TTSOpsVirtual);
	Tuplesortstate *sort = tuplesort_begin_heap(descriptor, 1, &column, &less_operator, &collation,
												&nulls_first, sort_memory, NULL, TUPLESORT_NONE);

	slot->tts_isnull[0] = slot->tts_isnull[1] = false;
	for (uint32 row = 0; row < keys->count; row++)
	{
		CHECK_FOR_INTERRUPTS();
		ExecClearTuple(slot);
		slot->tts_values[0] = keys->values[row];
		slot->tts_values[1] = Int32GetDatum(row);
		ExecStoreVirtualTuple(slot);
		tuplesort_puttupleslot(sort, slot);
	}
	ExecDropSingleTupleTableSlot(slot);
	tuplesort_performsort(sort);
	return sort;
}

static void
rank(JoinKeys *keys, int sort_memory)
{
	SortSupportData comparison = {.ssup_cxt = CurrentMemoryContext,
								  .ssup_collation = keys->collation};
	TupleDesc descriptor;
	TupleTableSlot *slot;
	Tuplesortstate *sort;
	int64 place = 0;
	Datum previous = (Datum) 0;

	PrepareSortSupportFromOrderingOp(keys->less_operator, &comparison);
	descriptor = key_row_descriptor(keys);
	sort = sort_keys_with_rows(keys, descriptor, sort_memory);
	slot = MakeSingleTupleTableSlot(descriptor, &TTSOpsMinimalTuple);
	for (uint32 i = 0; tuplesort_gettupleslot(sort, true, false, slot, NULL); i++)
	{
		bool isnull;
		uint32 row = DatumGetInt32(slot_getattr(slot, 2, &isnull));

		CHECK_FOR_INTERRUPTS();
		if (i > 0 &&
			ApplySortComparator(previous, false, keys->values[row], false, &comparison) != 0)
			place++;
		previous = keys->values[row];
		keys->ranks[row] = place;
	}
	ExecDropSingleTupleTableSlot(slot);
	tuplesort_end(sort);
	FreeTupleDesc(descriptor);
}

/* Ranks in a context of its own: comparisons leak, and each part of a join ranks its keys. */
void
JoinKeysRank(JoinKeys *keys, int sort_memory)
{
	MemoryContext context;
	MemoryContext previous;

	if (keys->is_integer || keys->count == 0)
		return;
	context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup key order", ALLOCSET_DEFAULT_SIZES);
	previous = MemoryContextSwitchTo(context);
	rank(keys, sort_memory);
	MemoryContextSwitchTo(previous);
	MemoryContextDelete(context);
}

#define ROWS_BETWEEN_CHECKS (1 << 20)

bool
JoinKeysAscend(const JoinKeys *keys)
{
	for (uint32 row = 1; row < keys->count; row++)
	{
		if (row % ROWS_BETWEEN_CHECKS == 0)
			CHECK_FOR_INTERRUPTS();
		if (keys->order[row] <= keys->order[row - 1])
			return false;
	}
	return true;
}

Datum
JoinKeysDatum(const JoinKeys *keys, uint32 row)
{
	switch (keys->type)
	{
		case INT2OID:
			return Int16GetDatum(keys->integers[row]);
		case INT4OID:
			return Int32GetDatum(keys->integers[row]);
		case INT8OID:
			return nd_int64_datum(&keys->integers[row]);
		default:
			return keys->values[row];
	}
}

char *
JoinKeyText(const JoinKeys *keys, uint32 row)
{
	Oid output;
	bool is_varlena;

	/* Keys of several integer types have the type of the last one. */
	if (keys->is_integer)
		return psprintf(INT64_FORMAT, JoinKeysInt64(keys, row));
	getTypeOutputInfo(keys->type, &output, &is_varlena);
	return OidOutputFunctionCall(output, JoinKeysDatum(keys, row));
}
