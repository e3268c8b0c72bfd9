/*
 * weighted_similarity.c
 *		Measures and predicates of token sets by the weights of their tokens.
 *
 * The sets are merged as for the measures without weights, but instead of tokens their weights are
 * counted, or for cosine the squares of these. Sums are exact integers, so that a predicate has the
 * same result wherever it is computed.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "measure/threshold.h"
#include "tokenset/kept_weights.h"
#include "tokenset/weighted_similarity.h"

PG_FUNCTION_INFO_V1(tokenset_idf_jaccard);
PG_FUNCTION_INFO_V1(tokenset_idf_cosine);
PG_FUNCTION_INFO_V1(tokenset_idf_jaccard_ge);
PG_FUNCTION_INFO_V1(tokenset_idf_cosine_ge);

/* Sums of weights, or of squares of weights: of both sets, and of their common tokens. */
typedef struct WeighedSets
{
	int64 overlap;
	int64 a;
	int64 b;
} WeighedSets;

void
CheckWeighedSize(const Tokenset *set)
{
	if (TokensetCount(set) > TOKEN_WEIGHT_MAX_SET)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("tokenset is too large for a weighted measure"),
						errdetail("It has %d tokens, and may have at most %d.", TokensetCount(set),
								  TOKEN_WEIGHT_MAX_SET)));
}

/* Returns the sums for two sets. Each token of their merge is sought among the listed weights. */
static WeighedSets
weigh(const Tokenset *a, const Tokenset *b, const TokenWeights *weights, bool squares)
{
	const ListedWeight *listed = weights->listed;
	int32 a_count = TokensetCount(a);
	int32 b_count = TokensetCount(b);
	int32 i = 0;
	int32 j = 0;
	WeighedSets sums = {0};

	CheckWeighedSize(a);
	CheckWeighedSize(b);
	while (i < a_count || j < b_count)
	{
		bool takes_a = i < a_count && (j == b_count || a->tokens[i] <= b->tokens[j]);
		bool takes_b = j < b_count && (i == a_count || b->tokens[j] <= a->tokens[i]);
		Token token = takes_a ? a->tokens[i] : b->tokens[j];
		int64 term = TokenWeightTerm(TokenWeightsFind(weights, &listed, token), squares);

		sums.a += takes_a ? term : 0;
		sums.b += takes_b ? term : 0;
		sums.overlap += takes_a && takes_b ? term : 0;
		i += takes_a;
		j += takes_b;
		CHECK_FOR_INTERRUPTS();
	}
	return sums;
}

/* Returns the sums for the arguments (a, b, weights). */
static WeighedSets
weigh_arguments(Measure measure, FunctionCallInfo fcinfo)
{
	Tokenset *a = PG_GETARG_TOKENSET(0);
	Tokenset *b = PG_GETARG_TOKENSET(1);
	const TokenWeights *weights = TokenWeightsOfDatum(PG_GETARG_DATUM(2));
	WeighedSets sums = weigh(a, b, weights, measure == MEASURE_IDF_COSINE);

	PG_FREE_IF_COPY(a, 0);
	PG_FREE_IF_COPY(b, 1);
	return sums;
}

static double
weighted_value(Measure measure, FunctionCallInfo fcinfo)
{
	WeighedSets sums = weigh_arguments(measure, fcinfo);

	return MeasureValue(measure, sums.overlap, sums.a, sums.b);
}

static bool
weighted_holds(Measure measure, FunctionCallInfo fcinfo)
{
	Predicate predicate = PredicateOrError(measure, PG_GETARG_FLOAT8(3));
	WeighedSets sums = weigh_arguments(measure, fcinfo);

	return PredicateHolds(predicate, sums.overlap, sums.a, sums.b);
}

Datum
tokenset_idf_jaccard(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(weighted_value(MEASURE_IDF_JACCARD, fcinfo));
}

Datum
tokenset_idf_cosine(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(weighted_value(MEASURE_IDF_COSINE, fcinfo));
}

Datum
tokenset_idf_jaccard_ge(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(weighted_holds(MEASURE_IDF_JACCARD, fcinfo));
}

Datum
tokenset_idf_cosine_ge(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(weighted_holds(MEASURE_IDF_COSINE, fcinfo));
}
