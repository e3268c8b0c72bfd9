/*
 * sketch_join.c
 *		The SQL functions of the joins of sketches.
 *
 * Introduction to Information Retrieval, section 19.6: pairs whose sketches share enough values.
 * As sets of tokens <component, value>, all of one size, sketches go to the exact join, by the
 * overlap or by Dice's coefficient. supershingle_join compares those that share a super-shingle.
 */
#include "postgres.h"

#include <math.h>

#include "join/call/arguments.h"
#include "join/call/return_pairs.h"
#include "kinds/sets/sketch_rows.h"
#include "measure/threshold.h"
#include "minhash/lsh.h"

PG_FUNCTION_INFO_V1(sketch_overlap_join);
PG_FUNCTION_INFO_V1(supershingle_join);

/* Arguments: min_shared and min_fraction, one of which is NULL. */
static Predicate
limit_arguments(FunctionCallInfo fcinfo, int first)
{
	int fraction = first + 1;

	if (PG_ARGISNULL(fraction))
		return PredicateOrError(MEASURE_OVERLAP,
								DatumGetInt32(JoinArgumentOrError(fcinfo, first, "min_shared")));
	if (!PG_ARGISNULL(first))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s takes either min_shared or min_fraction", JoinFunctionName(fcinfo)),
				 errdetail("Both are given.")));
	return PredicateOrError(MEASURE_DICE, PG_GETARG_FLOAT8(fraction));
}

static uint32
size_argument(FunctionCallInfo fcinfo, int number)
{
	int32 size = DatumGetInt32(JoinArgumentOrError(fcinfo, number, "size"));

	SupershingleCheckSize(size, MINHASH_MAX_K);
	return (uint32) size;
}

/* Arguments: [key type,] query, [size,] min_shared, min_fraction, against. */
static void
read_sketch_arguments(JoinRequest *request, FunctionCallInfo fcinfo, bool by_supershingles)
{
	JoinTask *task = &request->task;
	int next;

	memset(request, 0, sizeof(*request));
	next = JoinQueryArguments(fcinfo, request);
	task->kind = &sketch_rows;
	task->algorithm = JOIN_AUTO;
	if (by_supershingles)
	{
		task->algorithm = JOIN_BUCKETS;
		task->buckets = palloc0(sizeof(BucketSpec));
		task->buckets->kind = BUCKETS_OF_SUPERSHINGLES;
		task->buckets->rows = size_argument(fcinfo, next++);
	}
	task->predicate = limit_arguments(fcinfo, next);
}

static Datum
shared_column(const SimilarityJoin *join, const double *value)
{
	if (join->predicate.measure == MEASURE_DICE)
		return Int32GetDatum((int32) rint(*value * SketchRowsKind(&join->input).k));
	return Int32GetDatum((int32) *value);
}

static Datum
return_sketch_pairs(FunctionCallInfo fcinfo, bool by_supershingles)
{
	JoinRequest request;

	read_sketch_arguments(&request, fcinfo, by_supershingles);
	return JoinReturnPairs(fcinfo, &request, shared_column);
}

Datum
sketch_overlap_join(PG_FUNCTION_ARGS)
{
	return return_sketch_pairs(fcinfo, false);
}

Datum
supershingle_join(PG_FUNCTION_ARGS)
{
	return return_sketch_pairs(fcinfo, true);
}
