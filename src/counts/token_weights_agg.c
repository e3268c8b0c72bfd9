/*
 * token_weights_agg.c
 *		The aggregate token_weights: weights by rarity among the rows.
 *
 * A token that no row has weighs as much as one that a single row has (measure/token_weight.h). So
 * tokens of a single row, which are most of all, need not be listed.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "counts/token_counts.h"
#include "tokenset/token_weights.h"

PG_FUNCTION_INFO_V1(token_weights_transition);
PG_FUNCTION_INFO_V1(token_weights_combine);
PG_FUNCTION_INFO_V1(token_weights_final);

/* The number of rows from which a token is listed. */
#define LEAST_LISTED_COUNT 2

Datum
token_weights_transition(PG_FUNCTION_ARGS)
{
	return TokenCountsTransition(fcinfo, 0);
}

Datum
token_weights_combine(PG_FUNCTION_ARGS)
{
	return TokenCountsCombine(fcinfo);
}

Datum
token_weights_final(PG_FUNCTION_ARGS)
{
	TokenCounts *counts = TokenCountsOfState(PG_GETARG_DATUM(0));
	uint64 rows = (uint64) TokenCountsRows(counts);
	Size count;
	TokenCount *listed = TokenCountsListed(counts, LEAST_LISTED_COUNT, &count);
	TokenWeights *weights = TokenWeightsAllocate(count, TokenWeight(rows, 1));

	for (Size i = 0; i < count; i++)
	{
		weights->listed[i].token = listed[i].token;
		weights->listed[i].weight = TokenWeight(rows, (uint64) listed[i].count);
		CHECK_FOR_INTERRUPTS();
	}
	pfree(listed);
	PG_RETURN_POINTER(weights);
}
