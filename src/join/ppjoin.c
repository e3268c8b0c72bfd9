/*
 * ppjoin.c
 *		The set-returning functions of the exact join.
 *
 * ppjoin, its _keyed form and ppjoin_stats are one course of events: read the
 * queries, canonicalize, index, probe. They differ in what becomes of a
 * pair: a row of a tuplestore, which spills to disk, so that memory does not grow
 * with the number of pairs; or a count.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "funcapi.h"
#include "portability/instr_time.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "join/call.h"
#include "join/kernel/engine.h"
#include "join/reader.h"
#include "measure/threshold.h"

PG_FUNCTION_INFO_V1(ppjoin);
PG_FUNCTION_INFO_V1(ppjoin_rs);
PG_FUNCTION_INFO_V1(ppjoin_keyed);
PG_FUNCTION_INFO_V1(ppjoin_keyed_rs);
PG_FUNCTION_INFO_V1(ppjoin_stats);
PG_FUNCTION_INFO_V1(ppjoin_stats_rs);

/* What the user asked for. */
typedef struct JoinRequest
{
	const char *queries[2]; /* the second is NULL in a self-join */
	Predicate predicate;
	JoinAlgorithm algorithm;
	ReaderSpec reader;
} JoinRequest;

typedef struct JoinSeconds
{
	double read;
	double canonicalize;
	double index;
	double probe;
	double total;
} JoinSeconds;

/* A join under way, and in the end its figures. */
typedef struct SimilarityJoin
{
	const JoinRequest *request;
	MemoryContext context; /* holds all below; a child of the caller's */
	JoinHost host;
	JoinInput input;
	JoinEngine engine;
	JoinCounters counters;
	JoinSeconds seconds;
	Size key_bytes;
	uint64 pair_count;

	/* Where pairs go; NULL if they are only counted. */
	Tuplestorestate *tuplestore;
	TupleDesc tuple_descriptor;
} SimilarityJoin;

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

/* The tokenset type stands in the same schema as the function that was called. */
static Oid
tokenset_type(FunctionCallInfo fcinfo)
{
	Oid schema = get_func_namespace(fcinfo->flinfo->fn_oid);
	Oid type = GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum("tokenset"),
							   ObjectIdGetDatum(schema));

	if (!OidIsValid(type))
		elog(ERROR, "type tokenset is missing from the schema of the extension");
	return type;
}

/* Arguments from the first query on: query [, query], threshold, measure, algorithm. */
static JoinRequest
join_request(FunctionCallInfo fcinfo, int first, bool two_sided, KeyPolicy key_policy)
{
	JoinRequest request = {.reader = {.key_policy = key_policy}};
	Measure measure;
	int next = first;

	request.queries[0] = JoinTextArgumentOrError(fcinfo, next++, "query");
	if (two_sided)
		request.queries[1] = JoinTextArgumentOrError(fcinfo, next++, "query");
	measure = MeasureOrError(JoinTextArgumentOrError(fcinfo, next + 1, "measure"));
	request.predicate =
		PredicateOrError(measure, DatumGetFloat8(JoinArgumentOrError(fcinfo, next, "threshold")));
	request.algorithm = algorithm_or_error(JoinTextArgumentOrError(fcinfo, next + 2, "algorithm"));

	request.reader.tokenset_type = tokenset_type(fcinfo);
	if (key_policy == KEYS_OF_TYPE)
		request.reader.key_type = JoinKeyTypeOrError(fcinfo);
	return request;
}

static double
seconds_since(instr_time start)
{
	instr_time now;

	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, start);
	return INSTR_TIME_GET_DOUBLE(now);
}

static Datum
pair_key(const SimilarityJoin *join, uint32 row)
{
	if (join->request->reader.key_policy == KEYS_INTEGER)
		return Int64GetDatum(JoinKeysInt64(&join->input.keys, row));
	return JoinKeysDatum(&join->input.keys, row);
}

/*
 * A self-join pairs rows of different keys only, the lesser key first; under
 * an asymmetric measure the order is the measure's.
 */
static void
emit_pair(void *context, const JoinRecord *x, const JoinRecord *y, uint32 overlap)
{
	SimilarityJoin *join = context;
	Predicate predicate = join->request->predicate;
	Datum values[3];
	bool nulls[3] = {false, false, false};

	if (join->request->queries[1] == NULL)
	{
		int order = JoinKeysCompare(&join->input.keys, x->row, y->row);

		if (order == 0)
			return;
		if (order > 0 && !MeasureIsAsymmetric(predicate.measure))
		{
			const JoinRecord *swap = x;

			x = y;
			y = swap;
		}
	}
	join->pair_count++;
	if (join->tuplestore == NULL)
		return;
	values[0] = pair_key(join, x->row);
	values[1] = pair_key(join, y->row);
	values[2] = Float8GetDatum(MeasureValue(predicate.measure, overlap, x->size, y->size));
	tuplestore_putvalues(join->tuplestore, join->tuple_descriptor, values, nulls);
}

static void
read_queries(SimilarityJoin *join)
{
	const JoinRequest *request = join->request;
	ReaderSpec reader = request->reader;
	JoinRecords *records = &join->input.records;

	reader.keys_are_compared = request->queries[1] == NULL;
	reader.key_context =
		AllocSetContextCreate(join->context, "neardup join keys", ALLOCSET_DEFAULT_SIZES);
	JoinRecordsInit(records, &join->host);
	JoinReadQuery(&join->input, &reader, request->queries[0]);
	if (request->queries[1] != NULL)
	{
		records->two_sided = true;
		records->first_right_row = join->input.keys.count;
		JoinReadQuery(&join->input, &reader, request->queries[1]);
	}
	else
		JoinKeysRank(&join->input.keys);
	join->key_bytes = MemoryContextMemAllocated(reader.key_context, true);
}

/* Runs the join in a context of its own, a child of the current one. */
static void
join_run(SimilarityJoin *join, const JoinRequest *request)
{
	instr_time start;
	instr_time phase;

	join->request = request;
	join->context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup join", ALLOCSET_DEFAULT_SIZES);
	JoinHostInit(&join->host, join->context);

	INSTR_TIME_SET_CURRENT(start);
	read_queries(join);
	join->seconds.read = seconds_since(start);

	INSTR_TIME_SET_CURRENT(phase);
	JoinRecordsCanonicalize(&join->input.records);
	join->seconds.canonicalize = seconds_since(phase);

	INSTR_TIME_SET_CURRENT(phase);
	JoinEngineIndex(&join->engine, &join->input.records, request->predicate, request->algorithm);
	join->seconds.index = seconds_since(phase);

	INSTR_TIME_SET_CURRENT(phase);
	JoinEngineProbe(&join->engine, emit_pair, join, &join->counters);
	join->seconds.probe = seconds_since(phase);
	join->seconds.total = seconds_since(start);
}

static Datum
return_pairs(FunctionCallInfo fcinfo, JoinRequest request)
{
	ReturnSetInfo *result;
	SimilarityJoin join = {0};

	InitMaterializedSRF(fcinfo, 0);
	result = (ReturnSetInfo *) fcinfo->resultinfo;
	join.tuplestore = result->setResult;
	join.tuple_descriptor = result->setDesc;
	join_run(&join, &request);
	MemoryContextDelete(join.context);
	return (Datum) 0;
}

static Datum
return_stats(FunctionCallInfo fcinfo, JoinRequest request)
{
	enum
	{
		COLUMNS = 17
	};
	Datum values[COLUMNS];
	bool nulls[COLUMNS] = {false};
	TupleDesc descriptor;
	SimilarityJoin join = {0};
	int i = 0;

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	join_run(&join, &request);

	values[i++] = Int64GetDatum(join.input.row_count);
	values[i++] = Int64GetDatum(join.input.records.token_count);
	values[i++] = Int64GetDatum(join.input.records.distinct_tokens);
	values[i++] = Int64GetDatum(join.engine.posting_count);
	values[i++] = Int64GetDatum(join.counters.candidates);
	values[i++] = Int64GetDatum(join.counters.pruned_by_position);
	values[i++] = Int64GetDatum(join.counters.pruned_by_suffix);
	values[i++] = Int64GetDatum(join.counters.pruned_by_bitmap);
	values[i++] = Int64GetDatum(join.pair_count);
	values[i++] = Int32GetDatum(0); /* workers: the join runs in this process */
	values[i++] = Int64GetDatum(join.host.peak_bytes + join.key_bytes);
	values[i++] = Int64GetDatum(0); /* temp_bytes: all of it is in memory */
	values[i++] = Float8GetDatum(join.seconds.read);
	values[i++] = Float8GetDatum(join.seconds.canonicalize);
	values[i++] = Float8GetDatum(join.seconds.index);
	values[i++] = Float8GetDatum(join.seconds.probe);
	values[i++] = Float8GetDatum(join.seconds.total);
	Assert(i == COLUMNS);

	MemoryContextDelete(join.context);
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls));
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
