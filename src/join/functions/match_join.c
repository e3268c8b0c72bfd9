/*
 * match_join.c
 *		The SQL functions of the one-to-one join.
 *
 * Of the pairs of two rows that are still free, the most similar is taken, until there is none.
 * Within a pass all pairs above a threshold are known, so a sort gives the order.
 */
#include "postgres.h"

#include "funcapi.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "join/descending_join.h"
#include "join/results/arguments.h"
#include "join/results/result_set.h"
#include "join/results/row_places.h"
#include "join/rows/kinds/weighted_set_rows.h"
#include "measure/threshold.h"

PG_FUNCTION_INFO_V1(match_join);
PG_FUNCTION_INFO_V1(match_join_keyed);

enum
{
	COLUMN_A,
	COLUMN_B,
	COLUMN_SIMILARITY,
	COLUMNS
};

typedef struct MatchJoin
{
	JoinRequest request;
	ReturnSetInfo *result;
	SimilarityJoin join;
	RowPlaces rows;
	uint8 *roles; /* by number; JOIN_ABSENT once matched */
	PairSort *pairs;
} MatchJoin;

/* Arguments: [key type,] query, min_similarity, measure, against. */
static void
read_match_arguments(MatchJoin *match, FunctionCallInfo fcinfo, KeyPolicy key_policy)
{
	JoinRequest *request = &match->request;
	int next = JoinQueryArguments(fcinfo, key_policy, request);
	Measure measure = MeasureOrError(JoinTextArgumentOrError(fcinfo, next + 1, "measure"));

	request->task.predicate = PredicateOrError(
		measure, DatumGetFloat8(JoinArgumentOrError(fcinfo, next, "min_similarity")));
	request->task.kind = SetRowsOf(measure);
	request->task.algorithm = JOIN_AUTO;
}

static uint8 *
role_of(MatchJoin *match, uint32 place)
{
	return &match->roles[RowPlacesNumber(&match->rows, place)];
}

static bool
are_free(MatchJoin *match, uint32 a, uint32 b)
{
	return *role_of(match, a) != JOIN_ABSENT && *role_of(match, b) != JOIN_ABSENT;
}

static uint64
take_free(void *context, const FoundPair *found)
{
	MatchJoin *match = context;
	RankedPair pair;

	if (!RowPlacesPair(&match->rows, &match->join, found, &pair) ||
		!are_free(match, pair.a, pair.b))
		return 0;
	PairSortPut(match->pairs, &pair);
	return 1;
}

static void
return_match(MatchJoin *match, const RankedPair *pair)
{
	ReturnSetInfo *result = match->result;
	Measure measure = match->request.task.predicate.measure;
	Datum values[COLUMNS];
	bool nulls[COLUMNS] = {false};

	values[COLUMN_A] = RowPlacesKey(&match->rows, pair->a);
	values[COLUMN_B] = RowPlacesKey(&match->rows, pair->b);
	values[COLUMN_SIMILARITY] = Float8GetDatum(JoinDistance(measure, pair->distance));
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

static void
begin_matches(void *context)
{
	MatchJoin *match = context;

	match->pairs = PairSortBegin(PAIRS_BY_DISTANCE, NULL, NULL);
}

static uint32
end_matches(void *context, bool is_last)
{
	MatchJoin *match = context;
	uint32 matches = 0;
	RankedPair pair;

	PairSortPerform(match->pairs);
	while (PairSortNext(match->pairs, &pair))
	{
		if (!are_free(match, pair.a, pair.b))
			continue;
		return_match(match, &pair);
		*role_of(match, pair.a) = *role_of(match, pair.b) = JOIN_ABSENT;
		matches++;
	}
	PairSortEnd(match->pairs);
	return matches;
}

/* Returns how many matches there can be. */
static uint32
most_matches(const MatchJoin *match)
{
	uint32 count = match->rows.keys.count;
	uint32 left_count = match->rows.left_count;

	if (match->rows.is_self_join)
		return count / 2;
	return Min(left_count, count - left_count);
}

static Datum
return_matches(FunctionCallInfo fcinfo, KeyPolicy key_policy)
{
	static const PassMethods methods = {
		.begin = begin_matches, .take = take_free, .end = end_matches};
	MatchJoin match = {.result = JoinMaterialize(fcinfo)};
	Size count;

	read_match_arguments(&match, fcinfo, key_policy);
	RowPlacesRead(&match.rows, &match.join, &match.request);
	count = Max(match.rows.keys.count, 1);
	match.roles = MemoryContextAllocHuge(CurrentMemoryContext, count);
	memset(match.roles, JOIN_SEEKS, count);
	match.request.task.roles = match.roles;
	JoinDescending(&match.join, most_matches(&match), &methods, &match);
	SimilarityJoinEnd(&match.join);
	return (Datum) 0;
}

Datum
match_join(PG_FUNCTION_ARGS)
{
	return return_matches(fcinfo, KEYS_INTEGER);
}

Datum
match_join_keyed(PG_FUNCTION_ARGS)
{
	return return_matches(fcinfo, KEYS_OF_TYPE);
}
