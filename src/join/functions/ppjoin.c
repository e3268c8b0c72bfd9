/*
 * ppjoin.c
 *		The SQL functions of the exact join.
 *
 * Each serves one query (self-join) or two (R-S join). ppjoin_stats counts the pairs that the
 * others return.
 */
#include "postgres.h"

#include "join/call/arguments.h"
#include "join/call/return_pairs.h"
#include "join/call/stats_row.h"
#include "kinds/sets/weighted_set_rows.h"
#include "measure/threshold.h"

PG_FUNCTION_INFO_V1(ppjoin);
PG_FUNCTION_INFO_V1(ppjoin_stats);

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

/* Arguments: [key type,] query, threshold, measure, algorithm, against. */
static JoinRequest
ppjoin_request(FunctionCallInfo fcinfo)
{
	JoinRequest request = {0};
	int next = JoinQueryArguments(fcinfo, &request);
	Measure measure = MeasureOrError(JoinTextArgumentOrError(fcinfo, next + 1, "measure"));

	request.task.predicate =
		PredicateOrError(measure, DatumGetFloat8(JoinArgumentOrError(fcinfo, next, "threshold")));
	request.task.algorithm =
		algorithm_or_error(JoinTextArgumentOrError(fcinfo, next + 2, "algorithm"));
	request.task.kind = SetRowsOf(measure);
	if (!RowKindIsServedBy(request.task.kind, request.task.algorithm))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("measure %s is joined by algorithm auto only", MeasureName(measure)),
						errdetail("The other algorithms know no weights of tokens.")));
	return request;
}

Datum
ppjoin(PG_FUNCTION_ARGS)
{
	JoinRequest request = ppjoin_request(fcinfo);

	return JoinReturnPairs(fcinfo, &request, Float8ValueColumn);
}

Datum
ppjoin_stats(PG_FUNCTION_ARGS)
{
	JoinRequest request = ppjoin_request(fcinfo);
	Datum values[8 + STATS_ROW_LAST_COLUMNS];
	SimilarityJoin join;
	int i = 0;

	request.reader.key_policy = KEYS_SORTABLE;
	QueryJoinBegin(&join, &request);
	QueryJoinPairs(&join, request.task.predicate, NULL, NULL);
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
