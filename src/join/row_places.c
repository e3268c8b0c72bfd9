/*
 * row_places.c
 *		Keys beside the join.
 *
 * The join has the numbers as its keys. Parts of spilled rows hold the keys of a part only, and
 * results need those of all rows.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "join/row_places.h"

#define MOST_ROWS ((uint32) PG_INT32_MAX)

static inline int
compare_rows_by_key(uint32 a, uint32 b, const JoinKeys *keys)
{
	int order = JoinKeysCompare(keys, a, b);

	return order != 0 ? order : (a > b) - (a < b);
}

#define ST_SORT sort_numbers
#define ST_ELEMENT_TYPE uint32
#define ST_COMPARE(a, b, keys) compare_rows_by_key(*(a), *(b), keys)
#define ST_COMPARE_ARG_TYPE const JoinKeys
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* Is called once for each query. */
static void
begin_query(void *context, TupleDesc columns)
{
	RowPlaces *places = context;
	Form_pg_attribute column = TupleDescAttr(columns, 0);
	Oid type = JoinKeyColumnType(column, places->key_policy, places->key_type);

	places->left_count = places->keys.count;
	/* The columns of two queries are both integers, or of one type. */
	if (places->keys.context == NULL)
		JoinKeysInit(&places->keys, places->key_context, NULL, type, column->attcollation, true);
	else
		places->keys.type = type;
}

static bool
number_row(void *context, TupleTableSlot *slot, Datum *key)
{
	RowPlaces *places = context;

	if (slot->tts_isnull[0] || slot->tts_isnull[1])
		return false;
	if (places->keys.count == MOST_ROWS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("too many rows"),
						errdetail("There may be at most %u rows.", MOST_ROWS)));
	*key = Int64GetDatum(places->keys.count);
	JoinKeysAppend(&places->keys, slot->tts_values[0]);
	return true;
}

void
RowPlacesInit(RowPlaces *places, JoinRequest *request)
{
	memset(places, 0, sizeof(*places));
	places->observer = (RowObserver){.context = places, .begin = begin_query, .row = number_row};
	places->key_context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup row keys", ALLOCSET_DEFAULT_SIZES);
	places->key_policy = request->reader.key_policy;
	places->key_type = request->reader.key_type;
	request->reader.observer = &places->observer;
	request->reader.keys_are_compared = false;
	/* Numbers differ; rows of equal keys are told by their places. */
	request->task.distinct_keys = false;
}

static void
order_rows(RowPlaces *places)
{
	uint32 count = places->keys.count;
	Size bytes = Max(count, 1) * sizeof(uint32);

	places->places = MemoryContextAllocHuge(CurrentMemoryContext, bytes);
	places->numbers = MemoryContextAllocHuge(CurrentMemoryContext, bytes);
	JoinKeysRank(&places->keys, work_mem);
	for (uint32 number = 0; number < count; number++)
	{
		CHECK_FOR_INTERRUPTS();
		places->numbers[number] = number;
	}
	sort_numbers(places->numbers, count, &places->keys);
	for (uint32 place = 0; place < count; place++)
	{
		CHECK_FOR_INTERRUPTS();
		places->places[places->numbers[place]] = place;
	}
}

void
RowPlacesRead(RowPlaces *places, SimilarityJoin *join, const JoinRequest *request)
{
	QueryJoinBegin(join, request);
	if (request->queries[1] == NULL)
		places->left_count = places->keys.count;
	order_rows(places);
}
