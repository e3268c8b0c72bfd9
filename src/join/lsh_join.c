/*
 * lsh_join.c
 *		The set-returning functions of the approximate join.
 *
 * A pair is found if a band of two minhash sketches agrees; then it is verified
 * as in the exact join. The bands are planned so that a pair at the threshold, and
 * so any above, is found with at least the probability that is asked for.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "join/call.h"
#include "join/pair_store.h"
#include "join/stats_row.h"
#include "measure/threshold.h"
#include "minhash/lsh.h"

PG_FUNCTION_INFO_V1(lsh_join);
PG_FUNCTION_INFO_V1(lsh_join_rs);
PG_FUNCTION_INFO_V1(lsh_join_keyed);
PG_FUNCTION_INFO_V1(lsh_join_keyed_rs);
PG_FUNCTION_INFO_V1(lsh_join_stats);
PG_FUNCTION_INFO_V1(lsh_join_stats_rs);

/* Components that bands may take, and the seed of the sketches. */
#define COMPONENTS 128
#define SEED 1

/*
 * The share of what may be missed at the threshold that the bands are planned for, so that
 * the recall is reached not only in expectation, but by what is found among a few hundred
 * pairs, too.
 */
#define MISSES (2.0 / 3)

/* An error is about the recall that was asked for. */
static LshPlan
plan_or_error(double threshold, double recall)
{
	LshPlan plan;

	if (recall > 0 && recall < 1 && SimilarityThresholdIsValid(MEASURE_JACCARD, threshold) &&
		LshPlanFind(threshold, 1 - (1 - recall) * MISSES, COMPONENTS, &plan))
		return plan;
	return LshPlanOrError(threshold, recall, COMPONENTS);
}

/* Arguments from the first query on: query [, query], threshold, recall. */
static JoinRequest
join_request(FunctionCallInfo fcinfo, int first, bool two_sided, KeyPolicy key_policy)
{
	JoinRequest request = {.function = JoinFunctionName(fcinfo), .algorithm = JOIN_BUCKETS};
	LshPlan plan;
	int next;
	double threshold;
	double recall;

	next =
		JoinQueryArguments(fcinfo, first, two_sided, key_policy, request.queries, &request.reader);
	threshold = DatumGetFloat8(JoinArgumentOrError(fcinfo, next, "threshold"));
	recall = DatumGetFloat8(JoinArgumentOrError(fcinfo, next + 1, "recall"));
	request.predicate = PredicateOrError(MEASURE_JACCARD, threshold);
	plan = plan_or_error(threshold, recall);
	request.buckets =
		(BucketSpec){.kind = BUCKETS_OF_BANDS, .keys = plan.bands, .rows = plan.rows, .seed = SEED};

	request.reader.tokenset_type = JoinTokensetType(fcinfo);
	return request;
}

static Datum
return_pairs(FunctionCallInfo fcinfo, JoinRequest request)
{
	return JoinReturnPairs(fcinfo, &request);
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

static Datum
return_stats(FunctionCallInfo fcinfo, JoinRequest request)
{
	LshPlan plan = {.bands = request.buckets.keys, .rows = request.buckets.rows};
	Datum values[9 + STATS_ROW_LAST_COLUMNS];
	SimilarityJoin join;
	int i = 0;

	SimilarityJoinBegin(&join, &request);
	join.key_candidates = palloc0(plan.bands * sizeof(uint64));
	SimilarityJoinPairs(&join, request.predicate, NULL, NULL);
	SimilarityJoinEnd(&join);

	values[i++] = Int64GetDatum(join.row_count);
	values[i++] = Int64GetDatum(join.token_count);
	values[i++] = Int64GetDatum(join.distinct_tokens);
	values[i++] = Int32GetDatum((int32) plan.bands);
	values[i++] = Int32GetDatum((int32) plan.rows);
	values[i++] = Float8GetDatum(LshProbability(request.predicate.threshold, plan));
	values[i++] = Int64GetDatum(join.counters.candidates);
	values[i++] = bigint_array(join.key_candidates, (int) plan.bands);
	values[i++] = Int64GetDatum(join.counters.pruned_by_bitmap);
	return JoinReturnStats(fcinfo, &join, values, i);
}

Datum
lsh_join(PG_FUNCTION_ARGS)
{
	return return_pairs(fcinfo, join_request(fcinfo, 0, false, KEYS_INTEGER));
}

Datum
lsh_join_rs(PG_FUNCTION_ARGS)
{
	return return_pairs(fcinfo, join_request(fcinfo, 0, true, KEYS_INTEGER));
}

Datum
lsh_join_keyed(PG_FUNCTION_ARGS)
{
	return return_pairs(fcinfo, join_request(fcinfo, 1, false, KEYS_OF_TYPE));
}

Datum
lsh_join_keyed_rs(PG_FUNCTION_ARGS)
{
	return return_pairs(fcinfo, join_request(fcinfo, 1, true, KEYS_OF_TYPE));
}

Datum
lsh_join_stats(PG_FUNCTION_ARGS)
{
	return return_stats(fcinfo, join_request(fcinfo, 0, false, KEYS_SORTABLE));
}

Datum
lsh_join_stats_rs(PG_FUNCTION_ARGS)
{
	return return_stats(fcinfo, join_request(fcinfo, 0, true, KEYS_SORTABLE));
}
