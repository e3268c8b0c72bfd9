/*
 * row_places.c
 *		Keeping the keys of all rows apart from the join.
 *
 * The parts of spilled rows hold the keys of one part each, but results need those of all rows.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "join/descending_join.h"
#include "join/results/row_places.h"
#include "text/interrupts.h"

#define MOST_ROWS ((uint32) PG_INT32_MAX)

/* Called once for each query. */
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

static void
observe_rows(RowPlaces *places, JoinRequest *request)
{
	memset(places, 0, sizeof(*places));
	places->observer = (RowObserver){.context = places, .begin = begin_query, .row = number_row};
	places->is_self_join = request->queries[1] == NULL;
	places->key_context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup row keys", ALLOCSET_DEFAULT_SIZES);
	places->key_policy = request->reader.key_policy;
	places->key_type = request->reader.key_type;
	request->reader.observer = &places->observer;
	request->reader.keys_are_compared = false;
	/* Numbers differ; rows of equal keys are told by their places. */
	request->task.distinct_keys = false;
}

void
RowPlacesRead(RowPlaces *places, SimilarityJoin *join, JoinRequest *request)
{
	observe_rows(places, request);
	QueryJoinBegin(join, request);
	if (places->is_self_join)
		places->left_count = places->keys.count;
	KeyOrderInit(&places->order, &places->keys);
}

static bool
have_equal_keys(const RowPlaces *places, uint32 a, uint32 b)
{
	return JoinKeysCompare(&places->keys, RowPlacesNumber(places, a), RowPlacesNumber(places, b)) ==
		   0;
}

void
RowPlacesMerge(RowPlaces *places)
{
	const KeyOrder *order = &places->order;

	for (uint32 place = 1; place < order->count; place++)
	{
		uint32 previous = order->by_rank[place - 1];
		uint32 number = order->by_rank[place];

		CHECK_NOW_AND_THEN(place);
		if (have_equal_keys(places, place - 1, place) &&
			(previous < places->left_count) == (number < places->left_count))
			order->ranks[number] = order->ranks[previous];
	}
}

static uint32
place_of_row(const RowPlaces *places, const SimilarityJoin *join, uint32 row)
{
	return places->order.ranks[JoinKeysInt64(&join->part->keys, row)];
}

bool
RowPlacesPair(const RowPlaces *places, const SimilarityJoin *join, const FoundPair *found,
			  RankedPair *pair)
{
	Measure measure = join->predicate.measure;
	uint32 a = place_of_row(places, join, found->a);
	uint32 b = place_of_row(places, join, found->b);
	bool swap = places->is_self_join && a > b && !MeasureIsAsymmetric(measure);

	if (places->is_self_join && have_equal_keys(places, a, b))
		return false;
	*pair = (RankedPair){
		.distance = JoinDistance(measure, found->value), .a = swap ? b : a, .b = swap ? a : b};
	return true;
}
