/*
 * match_join.c
 *		The SQL functions of the one-to-one join.
 *
 * Of the pairs of two rows that are still free, the most similar is taken, until there is none.
 * Within a pass all pairs above a threshold are known, so a sort gives the order. Groups of equal rows
 * (set_groups.h) are one row of the join: all pairs of rows of two groups have one similarity, and stand
 * together in the order (set_groups.h). So the free rows of both are matched one by one, in the order of
 * their keys, as long as there are any.
 *
 * A family of n nearly equal rows has n²/2 pairs. A pass leaves out the pairs that are worse than many
 * others of one of their groups: most rows are matched by one of these. Where a group has lost all of
 * these and has still a free row, the matches after its last pair are not certain. The pass ends there,
 * and is repeated by the rows that are still free, with more pairs of each group.
 *
 * In a self-join under most measures, equal rows are matched before all passes, since no pair is as
 * similar as theirs. So at most one row of each group is free in them.
 */
#include "postgres.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "allocate.h"
#include "compat.h"
#include "join/call/arguments.h"
#include "join/call/join_passes.h"
#include "join/call/result_set.h"
#include "join/call/set_groups.h"
#include "kinds/sets/weighted_set_rows.h"
#include "measure/threshold.h"

/*
 * If a group has more pairs than this, a pass may leave out the worse ones. In a family of equally
 * similar rows, each of the first 64 then has all others for its pairs, then each of the next 64,
 * and so on: an even number, so that each has a partner.
 */
#define PAIRS_OF_ROW 63

/*
 * A repeated pass wants this many times as many pairs of each row. Where all pairs that were found are
 * fewer than FEW_PAIRS for each row of the join, finding them cost little beside the pass itself,
 * and the next pass wants as many times more pairs as make up for that.
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
	CallRows rows;
	uint8 *roles;	/* by number of the group; JOIN_ABSENT once all its rows are matched */
	uint32 *taken;	/* of each group, how many rows are matched: its first ones */
	PairSort *sort; /* pairs of groups */
	bool is_cut;	/* the pass must be repeated */

	/* If passes leave out pairs, else NULL: */
	BestPairs *best;	 /* those that are not left out */
	uint32 *pair_counts; /* pairs of each group that were read in the pass */
} MatchJoin;

/* Arguments: [key type,] query, threshold, measure, against. */
static void
read_match_arguments(MatchJoin *match, FunctionCallInfo fcinfo)
{
	JoinRequest *request = &match->request;
	int next = JoinQueryArguments(fcinfo, request);
	Measure measure = MeasureOrError(JoinTextArgumentOrError(fcinfo, next + 1, "measure"));

	request->task.predicate =
		PredicateOrError(measure, DatumGetFloat8(JoinArgumentOrError(fcinfo, next, "threshold")));
	request->task.kind = SetRowsOf(measure);
	request->task.algorithm = JOIN_AUTO;
	request->task.demand.kind = &best_pairs;
}

static uint32
count_free(const MatchJoin *match, uint32 group)
{
	return CallRowsGroupSize(&match->rows, group) - match->taken[group];
}

static uint64
take_free(void *context, const FoundPair *found)
{
	MatchJoin *match = context;
	RankedPair pair = SetGroupsPair(&match->rows, found);

	if (count_free(match, pair.a) == 0 || count_free(match, pair.b) == 0)
		return 0;
	PairSortPut(match->sort, &pair);
	return 1;
}

static void
return_match(MatchJoin *match, uint32 a, uint32 b, double distance)
{
	ReturnSetInfo *result = match->result;
	Measure measure = match->request.task.predicate.measure;
	bool exchange = a > b && SetGroupsPairOnce(&match->rows, measure);
	double similarity = MeasureDistance(measure, distance);
	Datum values[COLUMNS];

	values[COLUMN_A] = CallRowsKey(&match->rows, exchange ? b : a);
	values[COLUMN_B] = CallRowsKey(&match->rows, exchange ? a : b);
	values[COLUMN_SIMILARITY] = nd_float8_datum(&similarity);
	ResultPut(result, values);
}

/* Returns the next free row of a group, and takes it. */
static uint32
take_next_row(MatchJoin *match, uint32 group)
{
	return CallRowsMembers(&match->rows, group)[match->taken[group]++];
}

/* Matches the free rows of two groups, or of one; returns how many matches there were. */
static uint32
match_groups(MatchJoin *match, const RankedPair *pair)
{
	bool is_own = pair->a == pair->b;
	uint32 count = is_own ? count_free(match, pair->a) / 2
						  : Min(count_free(match, pair->a), count_free(match, pair->b));

	for (uint32 i = 0; i < count; i++)
	{
		uint32 a = take_next_row(match, pair->a);
		uint32 b = take_next_row(match, pair->b);

		CHECK_FOR_INTERRUPTS();
		return_match(match, a, b, pair->distance);
	}
	return count;
}

static void
begin_matches(void *context)
{
	MatchJoin *match = context;

	match->sort = PairSortBegin(PAIRS_BY_DISTANCE, NULL, NULL);
	if (match->best != NULL)
		memset(match->pair_counts, 0, match->rows.group_count * sizeof(uint32));
}

/* Counts a pair of a group, and returns whether the group has free rows and may lack further pairs. */
static bool
may_lack_pairs(MatchJoin *match, uint32 group)
{
	return ++match->pair_counts[group] >= match->best->count && count_free(match, group) > 0;
}

/* Matches what the pass has found, as far as it is certain; returns the matches. */
static uint32
match_found(MatchJoin *match)
{
	uint32 matches = 0;
	RankedPair pair;

	match->is_cut = false;
	PairSortPerform(match->sort);
	while (!match->is_cut && PairSortNext(match->sort, &pair))
	{
		matches += match_groups(match, &pair);
		if (match->best != NULL && pair.a != pair.b)
		{
			bool a_lacks = may_lack_pairs(match, pair.a);
			bool b_lacks = may_lack_pairs(match, pair.b);

			match->is_cut = a_lacks || b_lacks;
		}
	}
	PairSortEnd(match->sort);
	return matches;
}

/* Leaves out the groups without free rows from now on, and sets how many pairs of each are wanted. */
static void
leave_out_matched(MatchJoin *match)
{
	const CallRows *rows = &match->rows;
	uint32 most_free = 0;

	for (uint32 group = 0; group < rows->group_count; group++)
	{
		CHECK_FOR_INTERRUPTS();
		if (count_free(match, group) == 0)
			match->roles[rows->numbers[group]] = JOIN_ABSENT;
		most_free = Max(most_free, count_free(match, group));
	}
	if (match->best != NULL && !match->is_cut)
		match->best->count = (PAIRS_OF_ROW - 1 + most_free) | 1;
}

static uint32
end_matches(void *context, bool is_last)
{
	MatchJoin *match = context;
	RankedPair equal = {.a = 0};
	uint32 matches;

	for (; SetGroupsNextEqual(&match->rows, &equal); equal.a++)
		PairSortPut(match->sort, &equal);
	matches = match_found(match);
	leave_out_matched(match);
	return matches;
}

static bool
is_cut(void *context)
{
	MatchJoin *match = context;
	BestPairs *best = match->best;

	if (match->is_cut)
	{
		uint64 found = Max(match->join.pair_count, 1);
		uint64 growth = (uint64) match->rows.group_count * FEW_PAIRS / found;
		uint64 count = best->count * Max(LEAST_GROWTH, Min(growth, MOST_GROWTH));

		/*
		 * The count stays odd: a row and its wanted partners are then an even number of rows, as
		 * PAIRS_OF_ROW says.
		 */
		best->count = (uint32) Min(count, PG_INT32_MAX) | 1;
	}
	return match->is_cut;
}

/*
 * Matches the rows of each group with each other, so that at most one remains free; returns the
 * number of matches.
 */
static uint32
match_equal_rows(MatchJoin *match)
{
	const CallRows *rows = &match->rows;
	Measure measure = match->request.task.predicate.measure;
	double distance = MeasureDistance(measure, MeasureValue(measure, 1, 1, 1));
	uint32 matches = 0;

	for (uint32 group = 0; group < rows->group_count; group++)
	{
		CHECK_FOR_INTERRUPTS();
		if (rows->numbers[group] != rows->empty)
			matches +=
				match_groups(match, &(RankedPair){.distance = distance, .a = group, .b = group});
	}
	return matches;
}

/*
 * Whether no pair of different sets is as similar as one of equal sets. Under overlap and containment a
 * superset is.
 */
static bool
equal_sets_are_nearest(Measure measure)
{
	return !MeasureIsWeighted(measure) &&
		   MeasureValue(measure, 1, 1, 2) != MeasureValue(measure, 1, 1, 1);
}

/* Lets passes leave out pairs, under the measures by which the join does so. */
static void
want_best(MatchJoin *match)
{
	Measure measure = match->request.task.predicate.measure;
	uint32 count = match->rows.group_count;

	if (MeasureIsDirected(measure) || MeasureIsWeighted(measure))
		return;
	match->best = SetGroupsWantBest(&match->rows, &match->request.task, PAIRS_OF_ROW, BEST_OF_BOTH);
	match->pair_counts = AllocateArray(count, sizeof(uint32));
	if (JoinInputIsSpilled(&match->join.input))
		match->best->wishes = AllocateArray(count, sizeof(PairWish));
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
	SetGroupsRead(&match.rows, &match.join, &match.request);
	count = match.rows.group_count;
	match.taken = AllocateArray(count, sizeof(uint32));
	memset(match.taken, 0, count * sizeof(uint32));
	match.roles = AllocateArray(count, sizeof(uint8));
	memset(match.roles, JOIN_SEEKS, count);
	PairDemandByRoles(&match.request.task.demand, match.roles, count);
	seekers = most_matches(&match);
	if (match.rows.is_self_join && equal_sets_are_nearest(match.request.task.predicate.measure))
		seekers -= match_equal_rows(&match);
	want_best(&match);
	leave_out_matched(&match);
	JoinPassesDescend(&passes, seekers, 1, &methods, &match);
	SimilarityJoinEnd(&match.join);
	return (Datum) 0;
}
