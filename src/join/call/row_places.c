/*
 * row_places.c
 *		Keeping the keys of all rows apart from the join.
 *
 * The parts of spilled rows hold the keys of one part each, but results need the keys of all rows.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "allocate.h"
#include "compat.h"
#include "join/call/row_places.h"
#include "join/progress/progress.h"

#define MOST_ROWS ((uint32) PG_INT32_MAX)

static void
init_keys(RowPlaces *places, Oid type, Oid collation)
{
	JoinInputSetKeys(&places->join->input, INT8OID, InvalidOid, false);
	JoinKeysInit(&places->keys, places->key_context, NULL, type, collation, true);
}

static void
begin_query(void *context, const ReaderSpec *spec, TupleDesc columns)
{
	RowPlaces *places = context;
	Oid type = ReaderKeyType(spec, columns);

	places->left_count = places->keys.count;
	RowGroupsBeginQuery(&places->groups);
	/* The columns of two queries are both integers, or of one type. */
	if (places->keys.context == NULL)
		init_keys(places, type, TupleDescAttr(columns, 0)->attcollation);
	else
		places->keys.type = type;
}

/* Appends the first row of a group to the join, with the group's number as its key. */
static void
append_row(RowPlaces *places, const JoinRow *row)
{
	int64 group = places->groups.count;

	if (RowGroupsAdd(&places->groups, row))
		JoinInputAppend(&places->join->input, nd_int64_datum(&group), row);
	else
		JoinInputCountCopy(&places->join->input, row);
}

static bool
take_keyed_row(void *context, TupleTableSlot *slot, const JoinRow *row)
{
	RowPlaces *places = context;

	if (places->keys.count == MOST_ROWS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("too many rows"),
						errdetail("There may be at most %u rows.", MOST_ROWS)));
	JoinKeysAppend(&places->keys, slot->tts_values[0]);
	append_row(places, row);
	return true;
}

static void
init_places(RowPlaces *places, SimilarityJoin *join, JoinRequest *request, bool is_self_join)
{
	memset(places, 0, sizeof(*places));
	places->join = join;
	RowGroupsInit(&places->groups, CurrentMemoryContext);
	places->is_self_join = is_self_join;
	places->key_context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup row keys", ALLOCSET_DEFAULT_SIZES);
	places->key_policy = request->reader.key_policy;
	/*
	 * The join has groups for keys, which are all different; rows of equal keys are recognized by
	 * their places.
	 */
	request->task.distinct_keys = false;
}

/* Called after each part: weights are known from then on. */
static void
weigh_groups(void *context, const JoinEngine *engine)
{
	RowPlaces *places = context;

	RowGroupsWeigh(&places->groups, engine->records, places->join->part->keys.order);
}

/* Raises unique_violation if a key occurs twice in a query. */
static void
refuse_repeated_keys(const RowPlaces *places, const JoinRequest *request)
{
	uint32 number;

	if (!KeyOrderRepeated(&places->order, &places->keys, places->left_count, &number))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_UNIQUE_VIOLATION),
			 errmsg("keys of %s of %s are not unique",
					number < places->left_count ? "query" : "against", request->reader.function),
			 errdetail("Key %s occurs more than once.", JoinKeyText(&places->keys, number)),
			 errhint("Each row must have a key of its own. Duplicates within a table "
					 "are found by near_duplicates.")));
}

/* Orders the keys and the groups of all rows. */
static void
order_rows(RowPlaces *places, JoinRequest *request)
{
	RowGroups *groups = &places->groups;

	if (places->is_self_join)
	{
		places->left_count = places->keys.count;
		groups->left_count = groups->count;
	}
	KeyOrderInit(&places->order, &places->keys);
	refuse_repeated_keys(places, request);
	RowGroupsOrder(groups, &places->order);
	if (places->is_self_join && RowGroupsHaveCopies(groups) &&
		MeasureIsWeighted(request->task.predicate.measure))
	{
		request->task.part_ends = weigh_groups;
		request->task.part_context = places;
	}
}

void
RowPlacesRead(RowPlaces *places, SimilarityJoin *join, JoinRequest *request)
{
	RowSink sink = {.context = places, .begin = begin_query, .take = take_keyed_row};

	init_places(places, join, request, request->queries[1] == NULL);
	QueryJoinBeginBy(join, request, &sink);
	order_rows(places, request);
}

void
RowPlacesBegin(RowPlaces *places, SimilarityJoin *join, JoinRequest *request, bool is_self_join)
{
	init_places(places, join, request, is_self_join);
	SimilarityJoinBegin(join, &request->task, CurrentMemoryContext);
	init_keys(places, INT8OID, InvalidOid);
	RowGroupsBeginQuery(&places->groups);
}

void
RowPlacesBeginRight(RowPlaces *places)
{
	places->left_count = places->keys.count;
	RowGroupsBeginQuery(&places->groups);
	JoinInputBeginRight(&places->join->input);
}

void
RowPlacesAppend(RowPlaces *places, int64 key, const JoinRow *row)
{
	JoinProgressCheck();
	JoinKeysAppendInt64(&places->keys, key);
	append_row(places, row);
}

void
RowPlacesEnd(RowPlaces *places, JoinRequest *request)
{
	SimilarityJoinRead(places->join);
	order_rows(places, request);
}

BestPairs *
RowPlacesWantBest(RowPlaces *places, JoinTask *task, uint32 count, BestOf of)
{
	BestPairs *best = palloc(sizeof(BestPairs));

	*best = (BestPairs){.count = count,
						.of = of,
						.is_self_join = places->is_self_join,
						.places = places->groups.ranks};
	PairDemandBest(&task->demand, best);
	return best;
}

RankedPair
RowPlacesPair(const RowPlaces *places, const SimilarityJoin *join, const FoundPair *found)
{
	const JoinKeys *numbers = &join->part->keys;
	Measure measure = join->predicate.measure;
	uint32 a = places->groups.ranks[JoinKeysInt64(numbers, found->a)];
	uint32 b = places->groups.ranks[JoinKeysInt64(numbers, found->b)];
	bool exchange = a > b && RowPlacesPairOnce(places, measure);

	return (RankedPair){.distance = MeasureDistance(measure, found->value),
						.a = exchange ? b : a,
						.b = exchange ? a : b};
}

bool
RowPlacesEqualRows(const RowPlaces *places, const SimilarityJoin *join, RankedPair *pair)
{
	const RowGroups *groups = &places->groups;
	Predicate predicate = join->predicate;

	if (!places->is_self_join || !RowGroupsHaveCopies(groups))
		return false;
	for (uint32 group = pair->a; group < groups->count; group++)
	{
		int64 measured = groups->measured[group];

		CHECK_FOR_INTERRUPTS();
		if (RowGroupSize(groups, group) == 1 || measured == 0 ||
			!PredicateHolds(predicate, measured, measured, measured))
			continue;
		*pair = (RankedPair){
			.distance = MeasureDistance(
				predicate.measure, MeasureValue(predicate.measure, measured, measured, measured)),
			.a = group,
			.b = group};
		return true;
	}
	return false;
}
