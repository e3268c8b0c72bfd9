/*
 * forest.c
 *		The aggregate cluster_agg.
 *
 * The state is a spanning forest of the pairs so far, as an int8 array of two columns, {{a,b},{b,c}}:
 * partial states travel between workers and nodes as ordinary values. A pair is appended only if it
 * joins two trees, or is of a new key with itself.
 *
 * In memory the state is an expanded array without NULLs, followed by a hash table from keys to
 * numbers and union-find over the numbers: a pair costs a look-up. Pairs are appended only through a
 * read-write pointer inside an aggregate; elsewhere pointers are read-only, lest others change the
 * array in place.
 *
 * The result names each key's cluster by its least key, {{1,2},{1,5},{3,4}}: a spanning forest too,
 * and the same for any order of the rows.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/expandeddatum.h"
#include "utils/memutils.h"

#include "allocate.h"
#include "cluster/union_find.h"
#include "compat.h"
#include "join/call/result_set.h"

PG_FUNCTION_INFO_V1(cluster_agg_transition);
PG_FUNCTION_INFO_V1(cluster_agg_combine);
PG_FUNCTION_INFO_V1(cluster_agg_final);
PG_FUNCTION_INFO_V1(forest_clusters);

typedef struct ForestKey
{
	int64 key;
	uint32 number;
	char status;
} ForestKey;

#define SH_PREFIX forest
#define SH_ELEMENT_TYPE ForestKey
#define SH_KEY key
#include "sketch/token_table.h"

typedef struct Forest
{
	ExpandedArrayHeader array; /* must be first */
	forest_hash *table;
	UnionFind sets;
} Forest;

#define INITIAL_CAPACITY 32

/* The pairs of the largest array that can be flattened. */
#define MAX_PAIRS ((MaxAllocSize - ARR_OVERHEAD_NONULLS(2)) / (2 * sizeof(int64)))

static Size
forest_flat_size(ExpandedObjectHeader *header)
{
	Forest *forest = (Forest *) header;
	int dimensions = forest->array.ndims;

	return ARR_OVERHEAD_NONULLS(dimensions) + (Size) forest->array.nelems * sizeof(int64);
}

static int64 *
flat_elements(ArrayType *flat)
{
	return (int64 *) ((char *) flat + ARR_OVERHEAD_NONULLS(flat->ndim));
}

static void
flatten_header(const Forest *forest, ArrayType *flat)
{
	int dimensions = forest->array.ndims;

	memset(flat, 0, ARR_OVERHEAD_NONULLS(dimensions));
	flat->ndim = dimensions;
	flat->elemtype = INT8OID;
	memcpy(ARR_DIMS(flat), forest->array.dims, dimensions * sizeof(int));
	memcpy(ARR_LBOUND(flat), forest->array.lbound, dimensions * sizeof(int));
}

static void
forest_flatten(ExpandedObjectHeader *header, void *result, Size allocated_size)
{
	Forest *forest = (Forest *) header;
	ArrayType *flat = result;
	int64 *elements;

	flatten_header(forest, flat);
	SET_VARSIZE(flat, allocated_size);
	elements = flat_elements(flat);
	for (int i = 0; i < forest->array.nelems; i++)
	{
		CHECK_FOR_INTERRUPTS();
		elements[i] = DatumGetInt64(forest->array.dvalues[i]);
	}
}

static const ExpandedObjectMethods forest_methods = {forest_flat_size, forest_flatten};

static Forest *
forest_begin(MemoryContext parent)
{
	MemoryContext context =
		AllocSetContextCreate(parent, "neardup forest", ALLOCSET_START_SMALL_SIZES);
	MemoryContext previous = MemoryContextSwitchTo(context);
	Forest *forest = palloc0(sizeof(Forest));
	ExpandedArrayHeader *array = &forest->array;

	EOH_init_header(&array->hdr, &forest_methods, context);
	array->ea_magic = EA_MAGIC;
	array->dims = palloc(2 * sizeof(int));
	array->lbound = palloc(2 * sizeof(int));
	array->dims[0] = 0;
	array->dims[1] = 2;
	array->lbound[0] = array->lbound[1] = 1;
	array->element_type = INT8OID;
	array->typlen = sizeof(int64);
	array->typbyval = FLOAT8PASSBYVAL;
	array->typalign = TYPALIGN_DOUBLE;
	array->dvalues = palloc(INITIAL_CAPACITY * sizeof(Datum));
	array->dvalueslen = INITIAL_CAPACITY;
	forest->table = forest_create(context, INITIAL_CAPACITY / 2, NULL);
	UnionFindInit(&forest->sets, INITIAL_CAPACITY / 2);
	MemoryContextSwitchTo(previous);
	return forest;
}

static void
append_pair(Forest *forest, int64 a, int64 b)
{
	ExpandedArrayHeader *array = &forest->array;
	MemoryContext previous = MemoryContextSwitchTo(array->hdr.eoh_context);

	if (array->nelems + 2 > array->dvalueslen)
	{
		if (array->dims[0] == MAX_PAIRS)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("too many pairs of keys"),
					 errdetail("A spanning forest has at most %zu pairs.", (Size) MAX_PAIRS)));
		array->dvalueslen = Min((Size) array->dvalueslen * 2, (Size) 2 * MAX_PAIRS);
		array->dvalues = repalloc_huge(array->dvalues, array->dvalueslen * sizeof(Datum));
	}
	array->dvalues[array->nelems++] = Int64GetDatum(a);
	array->dvalues[array->nelems++] = Int64GetDatum(b);
	array->ndims = 2;
	array->dims[0]++;
	MemoryContextSwitchTo(previous);
}

static uint32
forest_number(Forest *forest, int64 key, bool *is_new)
{
	bool found;
	ForestKey *entry = forest_insert(forest->table, key, &found);

	*is_new = !found;
	if (!found)
	{
		entry->number = forest->sets.count;
		UnionFindAdd(&forest->sets);
	}
	return entry->number;
}

static void
add_pair(Forest *forest, int64 a, int64 b)
{
	bool a_is_new;
	bool b_is_new;
	uint32 root_a = UnionFindRoot(&forest->sets, forest_number(forest, a, &a_is_new));
	uint32 root_b = UnionFindRoot(&forest->sets, forest_number(forest, b, &b_is_new));

	if (root_a != root_b)
		UnionFindUnite(&forest->sets, root_a, root_b);
	else if (a != b || !a_is_new)
		return;
	append_pair(forest, a, b);
}

/* Checks the array, since anybody can make one. */
static void
add_pairs(Forest *forest, ArrayType *pairs)
{
	Datum *elements;
	int count;

	if (ARR_NDIM(pairs) == 0)
		return;
	if (ARR_NDIM(pairs) != 2 || ARR_DIMS(pairs)[1] != 2)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("array is not one of pairs of keys"),
						errhint("Pairs are the rows of an array of two columns, such as "
								"\"{{1,2},{2,3}}\".")));
	if (array_contains_nulls(pairs))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("keys of a pair must not be null")));
	deconstruct_array(pairs, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &elements,
					  NULL, &count);
	for (int i = 0; i < count; i += 2)
	{
		CHECK_FOR_INTERRUPTS();
		add_pair(forest, DatumGetInt64(elements[i]), DatumGetInt64(elements[i + 1]));
	}
	pfree(elements);
}

/* Returns the object of a datum; NULL unless it is one of this file. */
static Forest *
forest_of(Datum value)
{
	ExpandedObjectHeader *header;

	if (!VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(value)))
		return NULL;
	header = DatumGetEOHP(value);
	return header->eoh_methods == &forest_methods ? (Forest *) header : NULL;
}

/* Returns the state if this call may change it, else a copy. */
static Forest *
state_to_change(FunctionCallInfo fcinfo)
{
	MemoryContext context;
	Forest *forest;

	if (!AggCheckCallContext(fcinfo, &context))
		context = CurrentMemoryContext;
	else if (!PG_ARGISNULL(0) && DatumIsReadWriteExpandedObject(PG_GETARG_DATUM(0), false, -1) &&
			 (forest = forest_of(PG_GETARG_DATUM(0))) != NULL)
		return forest;
	forest = forest_begin(context);
	if (!PG_ARGISNULL(0))
		add_pairs(forest, PG_GETARG_ARRAYTYPE_P(0));
	return forest;
}

static Datum
state_datum(FunctionCallInfo fcinfo, Forest *forest)
{
	return AggCheckCallContext(fcinfo, NULL) ? EOHPGetRWDatum(&forest->array.hdr)
											 : EOHPGetRODatum(&forest->array.hdr);
}

Datum
cluster_agg_transition(PG_FUNCTION_ARGS)
{
	Forest *forest;

	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	forest = state_to_change(fcinfo);
	add_pair(forest, PG_GETARG_INT64(1), PG_GETARG_INT64(2));
	PG_RETURN_DATUM(state_datum(fcinfo, forest));
}

Datum
cluster_agg_combine(PG_FUNCTION_ARGS)
{
	Forest *forest = state_to_change(fcinfo);

	add_pairs(forest, PG_GETARG_ARRAYTYPE_P(1));
	PG_RETURN_DATUM(state_datum(fcinfo, forest));
}

typedef struct Member
{
	int64 key;
	int64 cluster;
	uint32 number;
} Member;

#define ST_SORT sort_members
#define ST_ELEMENT_TYPE Member
#define ST_COMPARE(a, b) ((a)->key < (b)->key ? -1 : (a)->key > (b)->key)
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* Returns the keys in ascending order, each with the least key of its cluster. */
static Member *
sorted_members(Forest *forest)
{
	uint32 count = forest->sets.count;
	Member *members = AllocateArray(count, sizeof(Member));
	uint32 *order = AllocateArray(count, sizeof(uint32));
	uint32 *first = AllocateArray(count, sizeof(uint32));
	forest_iterator iterator;
	ForestKey *entry;
	uint32 filled = 0;

	forest_start_iterate(forest->table, &iterator);
	while ((entry = forest_iterate(forest->table, &iterator)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		members[filled].key = entry->key;
		members[filled++].number = entry->number;
	}
	sort_members(members, count);
	for (uint32 i = 0; i < count; i++)
		order[i] = members[i].number;
	UnionFindFirsts(&forest->sets, order, first);
	for (uint32 i = 0; i < count; i++)
		members[i].cluster = members[first[i]].key;
	pfree(order);
	pfree(first);
	return members;
}

static Forest *
forest_to_read(Datum value)
{
	Forest *forest = forest_of(value);

	if (forest == NULL)
	{
		forest = forest_begin(CurrentMemoryContext);
		add_pairs(forest, DatumGetArrayTypeP(value));
	}
	return forest;
}

/* The result has at most as many pairs as the state. */
Datum
cluster_agg_final(PG_FUNCTION_ARGS)
{
	Forest *forest = forest_to_read(PG_GETARG_DATUM(0));
	Member *members = sorted_members(forest);
	ArrayType *pairs;
	int64 *end;

	if (forest->array.nelems == 0)
		PG_RETURN_ARRAYTYPE_P(construct_empty_array(INT8OID));
	pairs = palloc(forest_flat_size(&forest->array.hdr));
	flatten_header(forest, pairs);
	end = flat_elements(pairs);
	for (uint32 i = 0; i < forest->sets.count; i++)
	{
		uint32 root = UnionFindRoot(&forest->sets, members[i].number);

		CHECK_FOR_INTERRUPTS();
		if (members[i].key == members[i].cluster && forest->sets.size[root] > 1)
			continue;
		*end++ = members[i].cluster;
		*end++ = members[i].key;
	}
	pfree(members);
	ARR_DIMS(pairs)[0] = (end - flat_elements(pairs)) / 2;
	SET_VARSIZE(pairs, (char *) end - (char *) pairs);
	PG_RETURN_ARRAYTYPE_P(pairs);
}

Datum
forest_clusters(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = JoinMaterialize(fcinfo);
	Forest *forest = forest_to_read(PG_GETARG_DATUM(0));
	Member *members;

	members = sorted_members(forest);
	for (uint32 i = 0; i < forest->sets.count; i++)
	{
		Datum values[2] = {nd_int64_datum(&members[i].key), nd_int64_datum(&members[i].cluster)};

		ResultPut(result, values);
	}
	pfree(members);
	return (Datum) 0;
}
