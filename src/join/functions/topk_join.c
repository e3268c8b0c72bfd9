/*
 * topk_join.c
 *		The SQL functions of the join that returns the k most similar pairs.
 *
 * The passes of a join with descending thresholds (join_passes.h) find pairs until there are k;
 * each pass costs a fraction of the next. Pairs wait in a sort that keeps the best k, the worst of
 * which is a bound for further ones. Of two groups of equal rows, or of one, at most the first k
 * pairs are put there. The join leaves out most pairs that are not among the best k, unless rows have
 * equal keys.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "funcapi.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "join/call/arguments.h"
#include "join/call/join_passes.h"
#include "join/call/member_pairs.h"
#include "join/call/result_set.h"
#include "join/call/row_places.h"
#include "kinds/sets/weighted_set_rows.h"
#include "measure/threshold.h"

PG_FUNCTION_INFO_V1(topk_join);

enum
{
	COLUMN_A,
	COLUMN_B,
	COLUMN_SIMILARITY,
	COLUMNS
};

typedef struct TopkJoin
{
	JoinRequest request;
	int32 k;
	SimilarityJoin join;
	RowPlaces rows;
	PairSort *pairs;
	RankedPair worst; /* the worst of k pairs, which come before all others that are wanted */
} TopkJoin;

/* Arguments: [key type,] query, k, measure, against. */
static void
read_topk_arguments(TopkJoin *topk, FunctionCallInfo fcinfo)
{
	JoinRequest *request = &topk->request;
	int next = JoinQueryArguments(fcinfo, request);

	topk->k = DatumGetInt32(JoinArgumentOrError(fcinfo, next, "k"));
	if (topk->k < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("k of %s must be at least 1", JoinFunctionName(fcinfo)),
						errdetail("It is %d.", topk->k)));
	request->task.predicate.measure =
		MeasureOrError(JoinTextArgumentOrError(fcinfo, next + 1, "measure"));
	request->task.kind = SetRowsOf(request->task.predicate.measure);
	request->task.algorithm = JOIN_AUTO;
	request->task.demand.kind = &best_pairs;
}

/* Returns the threshold that all similar pairs satisfy; `largest` is the size of the largest set. */
static double
weakest_threshold(Measure measure, uint32 largest)
{
	switch (measure)
	{
		case MEASURE_OVERLAP:
			return 1;
		case MEASURE_HAMMING:
			return 2.0 * largest;
		default:
			return DBL_TRUE_MIN;
	}
}

static double
first_threshold(Measure measure, uint32 largest)
{
	switch (measure)
	{
		case MEASURE_OVERLAP:
			return Max(largest / 2, 1);
		case MEASURE_HAMMING:
			return 0;
		default:
			return 0.9;
	}
}

static double
next_threshold(Measure measure, double threshold, uint32 largest)
{
	switch (measure)
	{
		case MEASURE_OVERLAP:
			return floor(threshold / 2);
		case MEASURE_HAMMING:
			return Min(threshold * 2 + 2, 2.0 * largest);
		default:
			return threshold > 0.15 ? threshold - 0.1 : DBL_TRUE_MIN;
	}
}

static double
threshold_of_pass(void *context, int32 pass, double previous)
{
	const TopkJoin *topk = context;
	Measure measure = topk->request.task.predicate.measure;
	uint32 largest = topk->join.input.largest;

	return pass == 1 ? first_threshold(measure, largest)
					 : next_threshold(measure, previous, largest);
}

/* Keeps the best k pairs. */
static uint32
keep_best(void *context, RankedPair *pairs, uint32 count)
{
	TopkJoin *topk = context;

	if (count < (uint32) topk->k)
		return count;
	topk->worst = pairs[topk->k - 1];
	return (uint32) topk->k;
}

static bool
is_wanted(const TopkJoin *topk, const RankedPair *pair)
{
	const RankedPair *worst = &topk->worst;

	if (pair->distance != worst->distance)
		return pair->distance < worst->distance;
	return pair->a != worst->a ? pair->a < worst->a : pair->b < worst->b;
}

/* Whether a pair, and all of the same groups with a later row a, come after the worst one. */
static bool
is_past_worst(const TopkJoin *topk, const RankedPair *pair)
{
	const RankedPair *worst = &topk->worst;

	return pair->distance > worst->distance ||
		   (pair->distance == worst->distance && pair->a > worst->a);
}

/*
 * Takes the first k pairs of two groups, and more where rows of equal keys, which have one place,
 * have pairs that do not come in order. Returns how many were taken.
 */
static uint64
take_members(TopkJoin *topk, const GroupPair *groups)
{
	uint32 most = (uint32) topk->k;
	MemberPairs pairs;
	RankedPair pair;
	uint32 last = 0;
	uint64 taken = 0;

	MemberPairsBegin(&pairs, &topk->rows, groups, topk->join.predicate.measure);
	while (MemberPairsNext(&pairs, &pair))
	{
		bool wanted = is_wanted(topk, &pair);

		if ((taken >= most && pair.a != last) || (!wanted && is_past_worst(topk, &pair)))
			break;
		last = pair.a;
		if (wanted)
		{
			PairSortPut(topk->pairs, &pair);
			taken++;
		}
		if (!wanted || pairs.of_first == most)
			MemberPairsSkipRow(&pairs);
	}
	return taken;
}

static uint64
take_wanted(void *context, const FoundPair *found)
{
	TopkJoin *topk = context;
	GroupPair groups = RowPlacesPair(&topk->rows, &topk->join, found);

	return take_members(topk, &groups);
}

static void
begin_best(void *context)
{
	TopkJoin *topk = context;

	if (topk->pairs != NULL)
		PairSortEnd(topk->pairs);
	topk->pairs = PairSortBegin(PAIRS_BY_DISTANCE, keep_best, topk);
}

/* The call is the only seeker. */
static uint32
end_best(void *context, bool is_last)
{
	TopkJoin *topk = context;
	GroupPair equal = {.x = 0};

	for (; RowPlacesEqualRows(&topk->rows, &topk->join, &equal); equal.x++)
		topk->join.pair_count += take_members(topk, &equal);
	return topk->join.pair_count >= (uint64) topk->k ? 1 : 0;
}

static void
return_best(ReturnSetInfo *result, TopkJoin *topk)
{
	Measure measure = topk->request.task.predicate.measure;
	bool nulls[COLUMNS] = {false};
	RankedPair pair;

	PairSortPerform(topk->pairs);
	for (int32 i = 0; i < topk->k && PairSortNext(topk->pairs, &pair); i++)
	{
		double similarity = MeasureDistance(measure, pair.distance);
		Datum values[COLUMNS];

		values[COLUMN_A] = RowPlacesKey(&topk->rows, pair.a);
		values[COLUMN_B] = RowPlacesKey(&topk->rows, pair.b);
		values[COLUMN_SIMILARITY] = nd_float8_datum(&similarity);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	PairSortEnd(topk->pairs);
}

Datum
topk_join(PG_FUNCTION_ARGS)
{
	static const DescentMethods methods = {
		.threshold = threshold_of_pass, .begin = begin_best, .take = take_wanted, .end = end_best};
	TopkJoin topk = {.worst = {.distance = INFINITY}};
	JoinPasses passes = {.join = &topk.join, .task = &topk.request.task};
	Predicate *predicate = &topk.request.task.predicate;
	ReturnSetInfo *result;
	uint32 number;

	read_topk_arguments(&topk, fcinfo);
	result = JoinMaterialize(fcinfo);
	/* The largest set is known after the rows were read. */
	predicate->threshold = weakest_threshold(predicate->measure, PG_INT32_MAX / 2);
	RowPlacesRead(&topk.rows, &topk.join, &topk.request);
	RowPlacesMerge(&topk.rows);
	predicate->threshold = weakest_threshold(predicate->measure, topk.join.input.largest);
	if (!topk.rows.is_self_join || !KeyOrderRepeated(&topk.rows.order, &topk.rows.keys, &number))
		RowPlacesWantBest(&topk.rows, &topk.request.task, (uint32) topk.k, BEST_OF_ALL);
	JoinPassesDescend(&passes, 1, (uint32) topk.k, &methods, &topk);
	SimilarityJoinEnd(&topk.join);
	return_best(result, &topk);
	return (Datum) 0;
}
