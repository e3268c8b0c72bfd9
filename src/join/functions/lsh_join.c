/*
 * lsh_join.c
 *		The SQL functions of the approximate join.
 *
 * A pair whose minhash sketches agree in a band is compared exactly. The bands are planned so
 * that this happens to a pair at the threshold with at least the probability `recall`.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "join/call/arguments.h"
#include "join/call/return_pairs.h"
#include "join/call/stats_row.h"
#include "kinds/sets/set_rows.h"
#include "kernel/buckets/bucket_engine.h"
#include "measure/threshold.h"
#include "minhash/lsh.h"

PG_FUNCTION_INFO_V1(lsh_join);
PG_FUNCTION_INFO_V1(lsh_join_stats);

#define SKETCH_COMPONENTS 128
#define SKETCH_SEED 1

/* Share of the allowed misses that bands are planned for: a small sample reaches the recall too. */
#define MISSES (2.0 / 3)

/* Checks the recall here, so that an error names what the user gave. */
static LshPlan
plan_or_error(double threshold, double recall)
{
	LshPlan plan;

	if (recall > 0 && recall < 1 && MeasureThresholdIsValid(MEASURE_JACCARD, threshold) &&
		LshPlanFind(threshold, 1 - (1 - recall) * MISSES, SKETCH_COMPONENTS, &plan))
		return plan;
	return LshPlanOrError(threshold, recall, SKETCH_COMPONENTS);
}

/* Arguments: [key type,] query, threshold, recall, against. */
static JoinRequest
lsh_request(FunctionCallInfo fcinfo)
{
	JoinRequest request = {.task = {.kind = &set_rows, .algorithm = JOIN_BUCKETS}};
	int next = JoinQueryArguments(fcinfo, &request);
	double threshold = DatumGetFloat8(JoinArgumentOrError(fcinfo, next, "threshold"));
	double recall = DatumGetFloat8(JoinArgumentOrError(fcinfo, next + 1, "recall"));
	LshPlan plan;

	request.task.predicate = PredicateOrError(MEASURE_JACCARD, threshold);
	plan = plan_or_error(threshold, recall);
	request.task.buckets = palloc(sizeof(BucketSpec));
	*request.task.buckets =
		(BucketSpec){.bands = plan.bands, .rows = plan.rows, .seed = SKETCH_SEED};
	return request;
}

Datum
lsh_join(PG_FUNCTION_ARGS)
{
	JoinRequest request = lsh_request(fcinfo);

	return JoinReturnPairs(fcinfo, &request, Float8ValueColumn);
}

static Datum
bigint_array(const uint64 *numbers, int count)
{
	Datum *values = palloc((Size) count * sizeof(Datum));

	for (int i = 0; i < count; i++)
		values[i] = Int64GetDatum((int64) numbers[i]);
	return PointerGetDatum(
		construct_array(values, count, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

static void
add_candidates(void *context, const JoinEngine *engine)
{
	const BucketIndex *index = engine->index;
	uint64 *candidates = context;

	for (uint32 i = 0; i < index->buckets.bands; i++)
		candidates[i] += index->candidates[i];
}

Datum
lsh_join_stats(PG_FUNCTION_ARGS)
{
	JoinRequest request = lsh_request(fcinfo);
	LshPlan plan = {.bands = request.task.buckets->bands, .rows = request.task.buckets->rows};
	uint64 *candidates = palloc0(plan.bands * sizeof(uint64));
	Datum values[9 + STATS_ROW_LAST_COLUMNS];
	SimilarityJoin join;
	int i = 0;

	request.reader.key_policy = KEYS_SORTABLE;
	request.task.part_ends = add_candidates;
	request.task.part_context = candidates;
	QueryJoinBegin(&join, &request);
	QueryJoinPairs(&join, request.task.predicate, NULL, NULL);
	SimilarityJoinEnd(&join);

	values[i++] = Int64GetDatum(join.row_count);
	values[i++] = Int64GetDatum(join.token_count);
	values[i++] = Int64GetDatum(join.distinct_tokens);
	values[i++] = Int32GetDatum((int32) plan.bands);
	values[i++] = Int32GetDatum((int32) plan.rows);
	values[i++] = Float8GetDatum(LshProbability(request.task.predicate.threshold, plan));
	values[i++] = Int64GetDatum(join.counters.candidates);
	values[i++] = bigint_array(candidates, (int) plan.bands);
	values[i++] = Int64GetDatum(join.counters.pruned_by_bitmap);
	return JoinReturnStats(fcinfo, &join, values, i);
}
