/*
 * topk_join.c
 *		The SQL functions of the join that returns the k most similar pairs.
 *
 * Passes with descending thresholds find pairs until there are k; each costs a fraction of the
 * next. PostgreSQL's bounded sort keeps the best k. Rows are read and canonicalized once.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/tuplesort.h"
#include "utils/tuplestore.h"
#include "utils/typcache.h"

#include "join/results/arguments.h"
#include "join/results/result_set.h"
#include "join/progress/progress.h"
#include "join/rows/kinds/weighted_set_rows.h"
#include "measure/threshold.h"

PG_FUNCTION_INFO_V1(topk_join);
PG_FUNCTION_INFO_V1(topk_join_keyed);

enum
{
	COLUMN_A = 1,
	COLUMN_B,
	COLUMN_SIMILARITY,
	COLUMNS = COLUMN_SIMILARITY
};

typedef struct TopkJoin
{
	JoinRequest request;
	int32 k;
	ReturnSetInfo *result;
	TupleTableSlot *slot;
	Tuplesortstate *sort;
	SimilarityJoin join;
} TopkJoin;

static double
weakest_threshold(Measure measure)
{
	switch (measure)
	{
		case MEASURE_OVERLAP:
			return 1;
		case MEASURE_HAMMING:
			return PG_INT32_MAX;
		default:
			return DBL_TRUE_MIN;
	}
}

/* `largest`: tokens of the largest record. */
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
next_threshold(Measure measure, double threshold)
{
	switch (measure)
	{
		case MEASURE_OVERLAP:
			return floor(threshold / 2);
		case MEASURE_HAMMING:
			return Min(threshold * 2 + 2, PG_INT32_MAX);
		default:
			return threshold > 0.15 ? threshold - 0.1 : DBL_TRUE_MIN;
	}
}

/* Whether a weaker threshold finds no more pairs. */
static bool
is_weakest(Measure measure, double threshold, uint32 largest)
{
	if (measure == MEASURE_HAMMING)
		return threshold >= 2.0 * largest;
	return threshold <= weakest_threshold(measure);
}

/* Arguments: [key type,] query, k, measure, against. */
static TopkJoin
topk_request(FunctionCallInfo fcinfo, KeyPolicy key_policy)
{
	TopkJoin topk = {.result = (ReturnSetInfo *) fcinfo->resultinfo};
	JoinRequest *request = &topk.request;
	int next = JoinQueryArguments(fcinfo, key_policy, request);
	Measure measure;

	topk.k = DatumGetInt32(JoinArgumentOrError(fcinfo, next, "k"));
	if (topk.k < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("number of pairs must be at least 1"),
						errdetail("The number is %d.", topk.k)));
	measure = MeasureOrError(JoinTextArgumentOrError(fcinfo, next + 1, "measure"));
	request->task.predicate =
		(Predicate){.measure = measure, .threshold = weakest_threshold(measure)};
	request->task.kind = SetRowsOf(measure);
	request->task.algorithm = JOIN_AUTO;
	request->reader.keys_are_compared = true;
	return topk;
}

static uint64
sort_pair(void *context, const FoundPair *pair)
{
	TopkJoin *topk = context;
	TupleTableSlot *slot = topk->slot;

	ExecClearTuple(slot);
	slot->tts_values[COLUMN_A - 1] = QueryJoinKey(&topk->join, &topk->request, pair->a);
	slot->tts_values[COLUMN_B - 1] = QueryJoinKey(&topk->join, &topk->request, pair->b);
	slot->tts_values[COLUMN_SIMILARITY - 1] = Float8GetDatum(pair->value);
	memset(slot->tts_isnull, 0, COLUMNS * sizeof(bool));
	ExecStoreVirtualTuple(slot);
	tuplesort_puttupleslot(topk->sort, slot);
	return 1;
}

/* By (similarity DESC, a, b); a distance ascends. */
static void
begin_sort(TopkJoin *topk, Oid key_collation)
{
	TupleDesc descriptor = topk->result->setDesc;
	Oid key_type = TupleDescAttr(descriptor, COLUMN_A - 1)->atttypid;
	bool is_distance = topk->request.task.predicate.measure == MEASURE_HAMMING;
	TypeCacheEntry *value_type = lookup_type_cache(FLOAT8OID, TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);
	Oid key_less = lookup_type_cache(key_type, TYPECACHE_LT_OPR)->lt_opr;
	AttrNumber columns[COLUMNS] = {COLUMN_SIMILARITY, COLUMN_A, COLUMN_B};
	Oid operators[COLUMNS] = {is_distance ? value_type->lt_opr : value_type->gt_opr, key_less,
							  key_less};
	Oid collations[COLUMNS] = {InvalidOid, key_collation, key_collation};
	bool nulls_first[COLUMNS] = {false, false, false};

	topk->sort = tuplesort_begin_heap(descriptor, COLUMNS, columns, operators, collations,
									  nulls_first, work_mem, NULL, TUPLESORT_ALLOWBOUNDED);
	tuplesort_set_bound(topk->sort, topk->k);
}

static void
find_pairs(TopkJoin *topk)
{
	SimilarityJoin *join = &topk->join;
	Measure measure = topk->request.task.predicate.measure;
	uint32 largest;
	Predicate predicate = {.measure = measure};
	int32 pass = 1;

	QueryJoinBegin(join, &topk->request);
	largest = join->input.largest;
	predicate.threshold = first_threshold(measure, largest);
	for (;;)
	{
		bool is_last = is_weakest(measure, predicate.threshold, largest);

		JoinProgressPass(pass++, is_last);
		join->pair_count = 0;
		begin_sort(topk, join->input.keys.collation);
		QueryJoinPairs(join, predicate, sort_pair, topk);
		if (join->pair_count >= (uint64) topk->k || is_last)
			break;
		tuplesort_end(topk->sort);
		predicate.threshold = next_threshold(measure, predicate.threshold);
	}
	SimilarityJoinEnd(join);
}

static Datum
return_best(FunctionCallInfo fcinfo, KeyPolicy key_policy)
{
	TopkJoin topk = topk_request(fcinfo, key_policy);
	TupleTableSlot *best;
	int32 count = 0;

	(void) JoinMaterialize(fcinfo);
	topk.slot = MakeSingleTupleTableSlot(topk.result->setDesc, &TTSOpsVirtual);
	best = MakeSingleTupleTableSlot(topk.result->setDesc, &TTSOpsMinimalTuple);
	find_pairs(&topk);
	tuplesort_performsort(topk.sort);
	while (count < topk.k && tuplesort_gettupleslot(topk.sort, true, false, best, NULL))
	{
		CHECK_FOR_INTERRUPTS();
		tuplestore_puttupleslot(topk.result->setResult, best);
		count++;
	}
	ExecDropSingleTupleTableSlot(best);
	ExecDropSingleTupleTableSlot(topk.slot);
	tuplesort_end(topk.sort);
	return (Datum) 0;
}

Datum
topk_join(PG_FUNCTION_ARGS)
{
	return return_best(fcinfo, KEYS_INTEGER);
}

Datum
topk_join_keyed(PG_FUNCTION_ARGS)
{
	return return_best(fcinfo, KEYS_OF_TYPE);
}
