/*
 * knn_join.c
 *		The SQL functions of the join that returns the k most similar rows of each row.
 *
 * Pairs wait in a sort by row, which keeps k of each. The worst of a row's k is a bound for further
 * ones. After a pass, the k of a row are final.
 */
#include "postgres.h"

#include <math.h>

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "join/descending_join.h"
#include "join/results/arguments.h"
#include "join/results/result_set.h"
#include "join/results/row_places.h"
#include "join/rows/kinds/weighted_set_rows.h"
#include "measure/threshold.h"

PG_FUNCTION_INFO_V1(knn_join);
PG_FUNCTION_INFO_V1(knn_join_keyed);

enum
{
	COLUMN_A,
	COLUMN_B,
	COLUMN_SIMILARITY,
	COLUMN_RANK,
	COLUMNS
};

/* A neighbour that is wanted must be better: less distant, or as distant at a lower place. */
typedef struct Bound
{
	double distance;
	uint32 place;
} Bound;

/* The bound of a row whose neighbours have been returned: nothing is better. */
#define FINAL_BOUND ((Bound){.distance = -INFINITY})

typedef struct KnnJoin
{
	JoinRequest request;
	int32 k;
	ReturnSetInfo *result;
	SimilarityJoin join;
	RowPlaces rows;
	Bound *bounds; /* by place */
	uint8 *roles;  /* by number */
	PairSort *pairs;

	/* Of one row, while pairs are read from the sort. */
	RankedPair *neighbors;
	int32 count;
	int32 capacity;
} KnnJoin;

/* Arguments: [key type,] query, k, min_similarity, measure, against. */
static void
read_knn_arguments(KnnJoin *knn, FunctionCallInfo fcinfo, KeyPolicy key_policy)
{
	JoinRequest *request = &knn->request;
	int next = JoinQueryArguments(fcinfo, key_policy, request);
	Measure measure = MeasureOrError(JoinTextArgumentOrError(fcinfo, next + 2, "measure"));

	knn->k = DatumGetInt32(JoinArgumentOrError(fcinfo, next, "k"));
	if (knn->k < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("k of %s must be at least 1", JoinFunctionName(fcinfo)),
						errdetail("It is %d.", knn->k)));
	request->task.predicate = PredicateOrError(
		measure, DatumGetFloat8(JoinArgumentOrError(fcinfo, next + 1, "min_similarity")));
	request->task.kind = SetRowsOf(measure);
	request->task.algorithm = JOIN_AUTO;
}

static bool
is_better(const RankedPair *pair, const Bound *bound)
{
	return pair->distance < bound->distance ||
		   (pair->distance == bound->distance && pair->b < bound->place);
}

static void
offer(KnnJoin *knn, uint32 a, uint32 b, double distance)
{
	RankedPair pair = {.distance = distance, .a = a, .b = b};

	if (is_better(&pair, &knn->bounds[a]))
		PairSortPut(knn->pairs, &pair);
}

static uint64
take_neighbors(void *context, const FoundPair *found)
{
	KnnJoin *knn = context;
	RankedPair pair;

	if (!RowPlacesPair(&knn->rows, &knn->join, found, &pair))
		return 0;
	offer(knn, pair.a, pair.b, pair.distance);
	if (knn->rows.is_self_join && !MeasureIsAsymmetric(knn->join.predicate.measure))
		offer(knn, pair.b, pair.a, pair.distance);
	return 1;
}

/* Keeps the first k pairs of each row. */
static uint32
keep_nearest(void *context, RankedPair *pairs, uint32 count)
{
	KnnJoin *knn = context;
	uint32 kept = 0;
	int32 of_row = 0;

	for (uint32 i = 0; i < count; i++)
	{
		of_row = i > 0 && pairs[i].a == pairs[i - 1].a ? of_row + 1 : 1;
		if (of_row == knn->k)
			knn->bounds[pairs[i].a] = (Bound){.distance = pairs[i].distance, .place = pairs[i].b};
		if (of_row <= knn->k)
			pairs[kept++] = pairs[i];
	}
	return kept;
}

static void
return_neighbor(KnnJoin *knn, const RankedPair *pair, int32 rank)
{
	ReturnSetInfo *result = knn->result;
	Measure measure = knn->request.task.predicate.measure;
	Datum values[COLUMNS];
	bool nulls[COLUMNS] = {false};

	values[COLUMN_A] = RowPlacesKey(&knn->rows, pair->a);
	values[COLUMN_B] = RowPlacesKey(&knn->rows, pair->b);
	values[COLUMN_SIMILARITY] = Float8GetDatum(JoinDistance(measure, pair->distance));
	values[COLUMN_RANK] = Int32GetDatum(rank);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* Returns the neighbours of one row if they are final, and says whether they were. */
static bool
finish_row(KnnJoin *knn, bool is_last)
{
	uint32 a;
	bool is_full = knn->count == knn->k;

	if (knn->count == 0 || !(is_full || is_last))
		return false;
	for (int32 i = 0; i < knn->count; i++)
		return_neighbor(knn, &knn->neighbors[i], i + 1);
	a = knn->neighbors[0].a;
	knn->bounds[a] = FINAL_BOUND;
	knn->roles[RowPlacesNumber(&knn->rows, a)] = knn->rows.is_self_join ? JOIN_IS_MET : JOIN_ABSENT;
	return true;
}

static void
append_neighbor(KnnJoin *knn, const RankedPair *pair)
{
	if (knn->count == knn->k)
		return;
	if (knn->count == knn->capacity)
	{
		knn->capacity = Min((int64) knn->capacity * 2, knn->k);
		knn->neighbors = repalloc_huge(knn->neighbors, (Size) knn->capacity * sizeof(RankedPair));
	}
	knn->neighbors[knn->count++] = *pair;
}

static void
begin_neighbors(void *context)
{
	KnnJoin *knn = context;

	knn->pairs = PairSortBegin(PAIRS_BY_ROW, keep_nearest, knn);
}

static uint32
end_neighbors(void *context, bool is_last)
{
	KnnJoin *knn = context;
	uint32 finished = 0;
	RankedPair pair;

	PairSortPerform(knn->pairs);
	knn->count = 0;
	while (PairSortNext(knn->pairs, &pair))
	{
		if (knn->count > 0 && knn->neighbors[0].a != pair.a)
		{
			finished += finish_row(knn, is_last);
			knn->count = 0;
		}
		append_neighbor(knn, &pair);
	}
	finished += finish_row(knn, is_last);
	PairSortEnd(knn->pairs);
	return finished;
}

static void
begin_seekers(KnnJoin *knn)
{
	Size count = Max(knn->rows.keys.count, 1);

	knn->bounds = MemoryContextAllocHuge(CurrentMemoryContext, count * sizeof(Bound));
	for (Size place = 0; place < count; place++)
	{
		CHECK_FOR_INTERRUPTS();
		knn->bounds[place] = (Bound){.distance = INFINITY};
	}
	knn->roles = MemoryContextAllocHuge(CurrentMemoryContext, count);
	memset(knn->roles, JOIN_SEEKS, count);
	knn->request.task.roles = knn->roles;
	knn->capacity = Min(knn->k, 16);
	knn->neighbors = palloc(knn->capacity * sizeof(RankedPair));
}

static Datum
return_neighbors(FunctionCallInfo fcinfo, KeyPolicy key_policy)
{
	static const PassMethods methods = {
		.begin = begin_neighbors, .take = take_neighbors, .end = end_neighbors};
	KnnJoin knn = {.result = JoinMaterialize(fcinfo)};

	read_knn_arguments(&knn, fcinfo, key_policy);
	RowPlacesRead(&knn.rows, &knn.join, &knn.request);
	begin_seekers(&knn);
	JoinDescending(&knn.join, knn.rows.left_count, &methods, &knn);
	SimilarityJoinEnd(&knn.join);
	return (Datum) 0;
}

Datum
knn_join(PG_FUNCTION_ARGS)
{
	return return_neighbors(fcinfo, KEYS_INTEGER);
}

Datum
knn_join_keyed(PG_FUNCTION_ARGS)
{
	return return_neighbors(fcinfo, KEYS_OF_TYPE);
}
