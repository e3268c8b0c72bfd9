/*
 * topk_join.c
 *		The SQL functions of the join that returns the k most similar pairs.
 *
 * The passes of a join with descending thresholds (join_passes.h) find pairs until there are k;
 * each pass costs a fraction of the next. Pairs wait in a sort that keeps the best k, the worst of
 * which is a bound for further ones. They are pairs of groups of equal rows (set_groups.h), and each
 * counts as all pairs of rows that it stands for. The join leaves out most pairs that are not among the
 * best k (best_pairs.h).
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "join/call/arguments.h"
#include "join/call/join_passes.h"
#include "join/call/result_set.h"
#include "join/call/set_groups.h"
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
	CallRows rows;
	PairSort *pairs;
	RankedPair worst; /* the last that is needed for k pairs of rows; better ones are wanted */
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

/* Returns how many pairs of rows a pair of groups, or a group with itself, stands for, or k if it is less. */
static uint64
count_pairs(const TopkJoin *topk, const RankedPair *pair)
{
	uint64 rows = CallRowsGroupSize(&topk->rows, pair->a);
	uint64 others = CallRowsGroupSize(&topk->rows, pair->b);
	uint64 count = rows * others;

	if (pair->a == pair->b)
		count = rows * (rows - 1) /
				(SetGroupsPairOnce(&topk->rows, topk->join.predicate.measure) ? 2 : 1);
	return Min(count, (uint64) topk->k);
}

/* Keeps the pairs of groups that are needed for the best k pairs of rows. */
static uint32
keep_best(void *context, RankedPair *pairs, uint32 count)
{
	TopkJoin *topk = context;
	uint64 found = 0;

	for (uint32 i = 0; i < count; i++)
	{
		found += count_pairs(topk, &pairs[i]);
		if (found >= (uint64) topk->k)
		{
			topk->worst = pairs[i];
			return i + 1;
		}
	}
	return count;
}

static bool
is_wanted(const TopkJoin *topk, const RankedPair *pair)
{
	const RankedPair *worst = &topk->worst;

	if (pair->distance != worst->distance)
		return pair->distance < worst->distance;
	return pair->a != worst->a ? pair->a < worst->a : pair->b < worst->b;
}

/* Takes a pair of groups; returns how many pairs of rows of it are wanted. */
static uint64
take_group_pair(TopkJoin *topk, const RankedPair *pair)
{
	if (!is_wanted(topk, pair))
		return 0;
	PairSortPut(topk->pairs, pair);
	return count_pairs(topk, pair);
}

static uint64
take_wanted(void *context, const FoundPair *found)
{
	TopkJoin *topk = context;
	RankedPair pair = SetGroupsPair(&topk->rows, found);

	return take_group_pair(topk, &pair);
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
	RankedPair equal = {.a = 0};

	for (; SetGroupsNextEqual(&topk->rows, &equal); equal.a++)
		topk->join.pair_count += take_group_pair(topk, &equal);
	return topk->join.pair_count >= (uint64) topk->k ? 1 : 0;
}

static void
return_row_pair(ReturnSetInfo *result, const TopkJoin *topk, uint32 a, uint32 b, double similarity)
{
	Datum values[COLUMNS];
	bool nulls[COLUMNS] = {false};

	values[COLUMN_A] = CallRowsKey(&topk->rows, a);
	values[COLUMN_B] = CallRowsKey(&topk->rows, b);
	values[COLUMN_SIMILARITY] = nd_float8_datum(&similarity);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* Returns at most `most` pairs of the rows of two groups, or of one, in order; returns how many. */
static int32
return_group_pairs(ReturnSetInfo *result, const TopkJoin *topk, const RankedPair *pair, int32 most)
{
	const CallRows *rows = &topk->rows;
	Measure measure = topk->request.task.predicate.measure;
	bool pair_once = SetGroupsPairOnce(&topk->rows, measure);
	bool is_own = pair->a == pair->b;
	int32 count = 0;

	for (uint32 i = 0; i < CallRowsGroupSize(rows, pair->a); i++)
	{
		uint32 a = CallRowsMembers(rows, pair->a)[i];

		for (uint32 j = pair_once && is_own ? i + 1 : 0; j < CallRowsGroupSize(rows, pair->b); j++)
		{
			uint32 b = CallRowsMembers(rows, pair->b)[j];

			CHECK_FOR_INTERRUPTS();
			if (is_own && i == j)
				continue;
			if (count == most)
				return count;
			return_row_pair(result, topk, pair_once ? Min(a, b) : a, pair_once ? Max(a, b) : b,
							MeasureDistance(measure, pair->distance));
			count++;
		}
	}
	return count;
}

static void
return_best(ReturnSetInfo *result, TopkJoin *topk)
{
	int32 wanted = topk->k;
	RankedPair pair;

	PairSortPerform(topk->pairs);
	while (wanted > 0 && PairSortNext(topk->pairs, &pair))
		wanted -= return_group_pairs(result, topk, &pair, wanted);
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

	read_topk_arguments(&topk, fcinfo);
	result = JoinMaterialize(fcinfo);
	/* The largest set is known after the rows were read. */
	predicate->threshold = weakest_threshold(predicate->measure, PG_INT32_MAX / 2);
	SetGroupsRead(&topk.rows, &topk.join, &topk.request);
	predicate->threshold = weakest_threshold(predicate->measure, topk.join.input.largest);
	(void) SetGroupsWantBest(&topk.rows, &topk.request.task, (uint32) topk.k, BEST_OF_ALL);
	JoinPassesDescend(&passes, 1, (uint32) topk.k, &methods, &topk);
	SimilarityJoinEnd(&topk.join);
	return_best(result, &topk);
	return (Datum) 0;
}
