/*
 * knn_join.c
 *		The SQL functions of the join that returns the k most similar rows of each row (nearest_rows.h).
 */
#include "postgres.h"

#include "funcapi.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "join/call/arguments.h"
#include "join/call/nearest_rows.h"
#include "join/call/result_set.h"
#include "kinds/sets/weighted_set_rows.h"
#include "measure/threshold.h"

PG_FUNCTION_INFO_V1(knn_join);

enum
{
	COLUMN_A,
	COLUMN_B,
	COLUMN_SIMILARITY,
	COLUMN_RANK,
	COLUMNS
};

typedef struct KnnJoin
{
	JoinRequest request;
	int32 k;
	ReturnSetInfo *result;
	SimilarityJoin join;
	CallRows rows;
	uint32 place; /* of the row whose neighbours are being returned */
	int32 rank;	  /* of its last one; 0 before the first row */
} KnnJoin;

/* Arguments: [key type,] query, k, threshold, measure, against. */
static void
read_knn_arguments(KnnJoin *knn, FunctionCallInfo fcinfo)
{
	JoinRequest *request = &knn->request;
	int next = JoinQueryArguments(fcinfo, request);
	Measure measure = MeasureOrError(JoinTextArgumentOrError(fcinfo, next + 2, "measure"));

	knn->k = DatumGetInt32(JoinArgumentOrError(fcinfo, next, "k"));
	if (knn->k < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("k of %s must be at least 1", JoinFunctionName(fcinfo)),
						errdetail("It is %d.", knn->k)));
	request->task.predicate = PredicateOrError(
		measure, DatumGetFloat8(JoinArgumentOrError(fcinfo, next + 1, "threshold")));
	request->task.kind = SetRowsOf(measure);
	request->task.algorithm = JOIN_AUTO;
	request->task.demand.kind = &best_pairs;
}

static void
return_neighbor(void *context, uint32 place, uint32 neighbor, double distance)
{
	KnnJoin *knn = context;
	ReturnSetInfo *result = knn->result;
	double similarity = MeasureDistance(knn->request.task.predicate.measure, distance);
	Datum values[COLUMNS];
	bool nulls[COLUMNS] = {false};

	knn->rank = place == knn->place ? knn->rank + 1 : 1;
	knn->place = place;
	values[COLUMN_A] = CallRowsKey(&knn->rows, place);
	values[COLUMN_B] = CallRowsKey(&knn->rows, neighbor);
	values[COLUMN_SIMILARITY] = nd_float8_datum(&similarity);
	values[COLUMN_RANK] = Int32GetDatum(knn->rank);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

Datum
knn_join(PG_FUNCTION_ARGS)
{
	KnnJoin knn = {.result = JoinMaterialize(fcinfo)};

	read_knn_arguments(&knn, fcinfo);
	SetGroupsRead(&knn.rows, &knn.join, &knn.request);
	NearestRowsFind(&knn.rows, &knn.request.task, NEAREST_OF_LEFT, 1, (uint32) knn.k,
					return_neighbor, &knn);
	SimilarityJoinEnd(&knn.join);
	return (Datum) 0;
}
