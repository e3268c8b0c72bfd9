/*
 * match_join.c
 *		The SQL functions of the one-to-one join.
 *
 * Of the pairs of two rows that are still free, the most similar is taken, until there is none.
 * Within a pass all pairs above a threshold are known, so a sort gives the order. Groups of equal rows
 * (row_groups.h) are one row of the join, and greedy_match.h takes rows from them.
 *
 * A family of n nearly equal rows has n²/2 pairs. If no group has more than one free row, a pass leaves
 * out the pairs that are worse than many others of one of their rows: most rows are matched by one of
 * these. Where a row has lost all of these and is still free, the matches after its last pair are not
 * certain. The pass ends there, and is repeated by the rows that are still free, with more pairs of each.
 *
 * In a self-join, equal rows are matched before all passes, since no pair is better than theirs. So at
 * most one row of each group is free in them.
 */
#include "postgres.h"

#include <math.h>

#include "funcapi.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "allocate.h"
#include "compat.h"
#include "join/call/arguments.h"
#include "join/call/greedy_match.h"
#include "join/call/join_passes.h"
#include "join/call/result_set.h"
#include "join/call/row_places.h"
#include "kinds/sets/weighted_set_rows.h"
#include "measure/threshold.h"
#include "text/interrupts.h"

/*
 * Of a row with more pairs than this, a pass may leave out the worse ones. In a family of equally
 * similar rows, each of the first 64 then has all others for its pairs, then each of the next 64, and
 * so on: an even number, so that each has a partner.
 */
#define PAIRS_OF_ROW 63

/*
 * A repeated pass wants this many times as many pairs of each row. Where all pairs that were found are
 * fewer than FEW_PAIRS for each row of the join, finding them cost little beside the pass itself, and
 * it wants so many times as many as would make up for that.
 */
#define LEAST_GROWTH 2
#define MOST_GROWTH 64
#define FEW_PAIRS 8

PG_FUNCTION_INFO_V1(match_join);

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
	uint8 *roles; /* role of each group; JOIN_ABSENT once all its rows are matched */
	GreedyMatch *matching;
	BestPairs *best; /* which pairs passes do not leave out; NULL if none are left out */
	bool is_cut;	 /* the pass must be repeated */
} MatchJoin;

/* Arguments: [key type,] query, min_similarity, measure, against. */
static void
read_match_arguments(MatchJoin *match, FunctionCallInfo fcinfo)
{
	JoinRequest *request = &match->request;
	int next = JoinQueryArguments(fcinfo, request);
	Measure measure = MeasureOrError(JoinTextArgumentOrError(fcinfo, next + 1, "measure"));

	request->task.predicate = PredicateOrError(
		measure, DatumGetFloat8(JoinArgumentOrError(fcinfo, next, "min_similarity")));
	request->task.kind = SetRowsOf(measure);
	request->task.algorithm = JOIN_AUTO;
	request->task.demand.kind = &best_pairs;
}

static uint64
take_free(void *context, const FoundPair *found)
{
	MatchJoin *match = context;
	GroupPair pair = RowPlacesPair(&match->rows, &match->join, found);

	return GreedyMatchPut(match->matching, &pair) ? 1 : 0;
}

static void
return_match(void *context, const RankedPair *pair)
{
	MatchJoin *match = context;
	ReturnSetInfo *result = match->result;
	double similarity = MeasureDistance(match->request.task.predicate.measure, pair->distance);
	Datum values[COLUMNS];
	bool nulls[COLUMNS] = {false};

	values[COLUMN_A] = RowPlacesKey(&match->rows, pair->a);
	values[COLUMN_B] = RowPlacesKey(&match->rows, pair->b);
	values[COLUMN_SIMILARITY] = nd_float8_datum(&similarity);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

static void
begin_matches(void *context)
{
	MatchJoin *match = context;

	GreedyMatchBeginPass(match->matching, match->best != NULL ? match->best->count : 0);
}

/* Matches the pairs that were put, and leaves out the groups without free rows from now on. */
static uint32
take_matches(MatchJoin *match)
{
	bool is_whole;
	uint32 matches = GreedyMatchEndPass(match->matching, &is_whole);

	match->is_cut = !is_whole;
	for (uint32 group = 0; group < match->rows.groups.count; group++)
	{
		CHECK_NOW_AND_THEN(group);
		if (!GreedyMatchHasFree(match->matching, group))
			match->roles[group] = JOIN_ABSENT;
	}
	return matches;
}

static uint32
end_matches(void *context, bool is_last)
{
	MatchJoin *match = context;
	GroupPair equal = {.x = 0};

	for (; RowPlacesEqualRows(&match->rows, &match->join, &equal); equal.x++)
		(void) GreedyMatchPut(match->matching, &equal);
	return take_matches(match);
}

static bool
is_cut(void *context)
{
	MatchJoin *match = context;
	BestPairs *best = match->best;

	if (best != NULL && match->is_cut)
	{
		uint64 found = Max(match->join.pair_count, 1);
		uint64 growth = (uint64) match->rows.groups.count * FEW_PAIRS / found;
		uint64 count = best->count * Max(LEAST_GROWTH, Min(growth, MOST_GROWTH));

		/* It stays an odd number, so that as many rows and one are an even one. */
		best->count = (uint32) Min(count, PG_INT32_MAX) | 1;
	}
	else if (best != NULL)
		best->count = PAIRS_OF_ROW;
	return match->is_cut;
}

/* Matches the rows of each group with each other, of which one may remain; returns the matches. */
static uint32
match_equal_rows(MatchJoin *match)
{
	const RowGroups *groups = &match->rows.groups;
	Measure measure = match->request.task.predicate.measure;
	double distance = MeasureDistance(measure, MeasureValue(measure, 1, 1, 1));

	GreedyMatchBeginPass(match->matching, 0);
	for (uint32 group = 0; group < groups->count; group++)
	{
		CHECK_NOW_AND_THEN(group);
		if (RowGroupSize(groups, group) > 1 && group != groups->empty)
			(void) GreedyMatchPut(match->matching,
								  &(GroupPair){.distance = distance, .x = group, .y = group});
	}
	return take_matches(match);
}

/* Whether passes may leave out pairs: the join does not do so under the other measures. */
static bool
may_want_best(const MatchJoin *match)
{
	const RowPlaces *rows = &match->rows;
	Measure measure = match->request.task.predicate.measure;
	uint32 number;

	if (MeasureIsAsymmetric(measure) || MeasureIsWeighted(measure))
		return false;
	/* The sets of two queries may be equal; and a superset overlaps with a set as much as an equal one. */
	if (RowGroupsHaveCopies(&rows->groups) && (!rows->is_self_join || measure == MEASURE_OVERLAP))
		return false;
	return !rows->is_self_join || !KeyOrderRepeated(&rows->order, &rows->keys, &number);
}

/* Lets passes leave out pairs. */
static void
want_best(MatchJoin *match)
{
	const RowPlaces *rows = &match->rows;

	match->best = RowPlacesWantBest(&match->rows, &match->request.task, PAIRS_OF_ROW, BEST_OF_BOTH);
	if (JoinInputIsSpilled(&match->join.input))
		match->best->wishes = AllocateArray(rows->groups.count, sizeof(PairWish));
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

Datum
match_join(PG_FUNCTION_ARGS)
{
	static const DescentMethods methods = {
		.begin = begin_matches, .take = take_free, .end = end_matches, .again = is_cut};
	MatchJoin match = {.result = JoinMaterialize(fcinfo)};
	JoinPasses passes = {.join = &match.join, .task = &match.request.task};
	uint32 count;
	uint32 seekers;

	read_match_arguments(&match, fcinfo);
	RowPlacesRead(&match.rows, &match.join, &match.request);
	count = match.rows.groups.count;
	match.matching =
		GreedyMatchBegin(&match.rows, match.request.task.predicate.measure, return_match, &match);
	match.roles = AllocateArray(count, sizeof(uint8));
	memset(match.roles, JOIN_SEEKS, count);
	PairDemandByRoles(&match.request.task.demand, match.roles, count);
	seekers = most_matches(&match);
	if (may_want_best(&match))
	{
		if (RowGroupsHaveCopies(&match.rows.groups))
			seekers -= match_equal_rows(&match);
		want_best(&match);
	}
	JoinPassesDescend(&passes, seekers, 1, &methods, &match);
	SimilarityJoinEnd(&match.join);
	return (Datum) 0;
}
