/*
 * ppjoin.c
 *		The set-returning functions of the exact join.
 *
 * ppjoin, its _keyed form and ppjoin_stats are one course of events: read the
 * queries, canonicalize, index, probe. They differ in what becomes of a
 * pair: a row of the result, or a count.
 */
#include "postgres.h"

#include "join/call.h"
#include "join/pair_store.h"
#include "join/stats_row.h"
#include "measure/threshold.h"

PG_FUNCTION_INFO_V1(ppjoin);
PG_FUNCTION_INFO_V1(ppjoin_rs);
PG_FUNCTION_INFO_V1(ppjoin_keyed);
PG_FUNCTION_INFO_V1(ppjoin_keyed_rs);
PG_FUNCTION_INFO_V1(ppjoin_stats);
PG_FUNCTION_INFO_V1(ppjoin_stats_rs);

static JoinAlgorithm
algorithm_or_error(const char *name)
{
	if (strcmp(name, "allpairs") == 0)
		return JOIN_ALLPAIRS;
	if (strcmp(name, "ppjoin") == 0)
		return JOIN_PPJOIN;
	if (strcmp(name, "ppjoin+") == 0)
		return JOIN_PPJOIN_PLUS;
	if (strcmp(name, "auto") == 0)
		return JOIN_AUTO;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("unrecognized join algorithm \"%s\"", name),
					errhint("The algorithms are auto, allpairs, ppjoin and ppjoin+.")));
}

/* Arguments from the first query on: query [, query], threshold, measure, algorithm. */
static JoinRequest
join_request(FunctionCallInfo fcinfo, int first, bool two_sided, KeyPolicy key_policy)
{
	JoinRequest request = {.function = JoinFunctionName(fcinfo)};
	Measure measure;
	int next;

	next =
		JoinQueryArguments(fcinfo, first, two_sided, key_policy, request.queries, &request.reader);
	measure = MeasureOrError(JoinTextArgumentOrError(fcinfo, next + 1, "measure"));
	request.predicate =
		PredicateOrError(measure, DatumGetFloat8(JoinArgumentOrError(fcinfo, next, "threshold")));
	request.algorithm = algorithm_or_error(JoinTextArgumentOrError(fcinfo, next + 2, "algorithm"));

	request.reader.tokenset_type = JoinTokensetType(fcinfo);
	return request;
}

static Datum
return_pairs(FunctionCallInfo fcinfo, JoinRequest request)
{
	return JoinReturnPairs(fcinfo, &request);
}

static Datum
return_stats(FunctionCallInfo fcinfo, JoinRequest request)
{
	Datum values[8 + STATS_ROW_LAST_COLUMNS];
	SimilarityJoin join;
	int i = 0;

	SimilarityJoinBegin(&join, &request);
	SimilarityJoinPairs(&join, request.predicate, NULL, NULL);
	SimilarityJoinEnd(&join);

	values[i++] = Int64GetDatum(join.row_count);
	values[i++] = Int64GetDatum(join.token_count);
	values[i++] = Int64GetDatum(join.distinct_tokens);
	values[i++] = Int64GetDatum(join.posting_count);
	values[i++] = Int64GetDatum(join.counters.candidates);
	values[i++] = Int64GetDatum(join.counters.pruned_by_position);
	values[i++] = Int64GetDatum(join.counters.pruned_by_suffix);
	values[i++] = Int64GetDatum(join.counters.pruned_by_bitmap);
	return JoinReturnStats(fcinfo, &join, values, i);
}

Datum
ppjoin(PG_FUNCTION_ARGS)
{
	return return_pairs(fcinfo, join_request(fcinfo, 0, false, KEYS_INTEGER));
}

Datum
ppjoin_rs(PG_FUNCTION_ARGS)
{
	return return_pairs(fcinfo, join_request(fcinfo, 0, true, KEYS_INTEGER));
}

Datum
ppjoin_keyed(PG_FUNCTION_ARGS)
{
	return return_pairs(fcinfo, join_request(fcinfo, 1, false, KEYS_OF_TYPE));
}

Datum
ppjoin_keyed_rs(PG_FUNCTION_ARGS)
{
	return return_pairs(fcinfo, join_request(fcinfo, 1, true, KEYS_OF_TYPE));
}

Datum
ppjoin_stats(PG_FUNCTION_ARGS)
{
	return return_stats(fcinfo, join_request(fcinfo, 0, false, KEYS_SORTABLE));
}

Datum
ppjoin_stats_rs(PG_FUNCTION_ARGS)
{
	return return_stats(fcinfo, join_request(fcinfo, 0, true, KEYS_SORTABLE));
}
