/*
 * sketch_join.c
 *		The set-returning functions of the joins of sketches.
 *
 * Introduction to Information Retrieval, section 19.6, sorts <component, value,
 * document>, counts for each pair of documents the values that their sketches share,
 * and keeps the pairs that reach a limit. A sketch is here a set of tokens
 * <component, value>, and the limit is a predicate of the overlap (or, as a
 * fraction of the components, of Dice's coefficient, which is the same for sets
 * of one size); so the exact join of sets finds these pairs, and counts only where a pair
 * shares enough of the rarer values.
 *
 * supershingle_join compares only pairs that share a super-shingle.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"

#include "join/call.h"
#include "join/pair_store.h"
#include "measure/threshold.h"
#include "minhash/supershingles.h"

PG_FUNCTION_INFO_V1(sketch_overlap_join);
PG_FUNCTION_INFO_V1(sketch_overlap_join_rs);
PG_FUNCTION_INFO_V1(sketch_overlap_join_keyed);
PG_FUNCTION_INFO_V1(sketch_overlap_join_keyed_rs);
PG_FUNCTION_INFO_V1(supershingle_join);
PG_FUNCTION_INFO_V1(supershingle_join_rs);
PG_FUNCTION_INFO_V1(supershingle_join_keyed);
PG_FUNCTION_INFO_V1(supershingle_join_keyed_rs);

/* A join under way. */
typedef struct SketchJoin
{
	JoinRequest request;
	SketchReading sketches;
	PairStore pairs;
} SketchJoin;

/* A count, or a fraction of the components, by the argument's type. */
static Predicate
limit_argument(FunctionCallInfo fcinfo, int number)
{
	Datum limit = JoinArgumentOrError(fcinfo, number, "min_shared");

	if (get_fn_expr_argtype(fcinfo->flinfo, number) == FLOAT8OID)
		return PredicateOrError(MEASURE_DICE, DatumGetFloat8(limit));
	return PredicateOrError(MEASURE_OVERLAP, DatumGetInt32(limit));
}

static uint32
size_argument(FunctionCallInfo fcinfo, int number)
{
	int32 size = DatumGetInt32(JoinArgumentOrError(fcinfo, number, "size"));

	SupershingleCheckSize(size, MINHASH_MAX_K);
	return (uint32) size;
}

/* Arguments from the first query on: query [, query], [size,] min_shared. */
static void
read_arguments(SketchJoin *join, FunctionCallInfo fcinfo, int first, bool two_sided,
			   bool by_supershingles, KeyPolicy key_policy)
{
	JoinRequest *request = &join->request;
	int next;

	memset(join, 0, sizeof(*join));
	request->function = JoinFunctionName(fcinfo);
	request->algorithm = JOIN_AUTO;
	next = JoinQueryArguments(fcinfo, first, two_sided, key_policy, request->queries,
							  &request->reader);
	if (by_supershingles)
	{
		request->algorithm = JOIN_BUCKETS;
		request->buckets.kind = BUCKETS_OF_SUPERSHINGLES;
		request->buckets.rows = size_argument(fcinfo, next++);
		join->sketches.supershingles = &request->buckets;
	}
	request->predicate = limit_argument(fcinfo, next);

	join->sketches.function = request->function;
	request->reader.sketches = &join->sketches;
	request->reader.minhash_type = JoinMinhashType(fcinfo);
}

static void
store_pair(void *context, Datum a, Datum b, double value)
{
	SketchJoin *join = context;

	/* A fraction is so many of k, rounded once. */
	if (join->request.predicate.measure == MEASURE_DICE)
		value = rint(value * join->sketches.kind.k);
	PairStorePut(&join->pairs, a, b, Int32GetDatum((int32) value));
}

static Datum
return_pairs(FunctionCallInfo fcinfo, int first, bool two_sided, bool by_supershingles,
			 KeyPolicy key_policy)
{
	SketchJoin join;
	SimilarityJoin similarity_join;

	read_arguments(&join, fcinfo, first, two_sided, by_supershingles, key_policy);
	PairStoreBegin(&join.pairs, fcinfo);
	SimilarityJoinBegin(&similarity_join, &join.request);
	SimilarityJoinPairs(&similarity_join, join.request.predicate, store_pair, &join);
	SimilarityJoinEnd(&similarity_join);
	PairStoreEnd(&join.pairs);
	return (Datum) 0;
}

Datum
sketch_overlap_join(PG_FUNCTION_ARGS)
{
	return return_pairs(fcinfo, 0, false, false, KEYS_INTEGER);
}

Datum
sketch_overlap_join_rs(PG_FUNCTION_ARGS)
{
	return return_pairs(fcinfo, 0, true, false, KEYS_INTEGER);
}

Datum
sketch_overlap_join_keyed(PG_FUNCTION_ARGS)
{
	return return_pairs(fcinfo, 1, false, false, KEYS_OF_TYPE);
}

Datum
sketch_overlap_join_keyed_rs(PG_FUNCTION_ARGS)
{
	return return_pairs(fcinfo, 1, true, false, KEYS_OF_TYPE);
}

Datum
supershingle_join(PG_FUNCTION_ARGS)
{
	return return_pairs(fcinfo, 0, false, true, KEYS_INTEGER);
}

Datum
supershingle_join_rs(PG_FUNCTION_ARGS)
{
	return return_pairs(fcinfo, 0, true, true, KEYS_INTEGER);
}

Datum
supershingle_join_keyed(PG_FUNCTION_ARGS)
{
	return return_pairs(fcinfo, 1, false, true, KEYS_OF_TYPE);
}

Datum
supershingle_join_keyed_rs(PG_FUNCTION_ARGS)
{
	return return_pairs(fcinfo, 1, true, true, KEYS_OF_TYPE);
}
