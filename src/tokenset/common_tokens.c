/*
 * common_tokens.c
 *		The aggregate common_tokens: tokens in more than a fraction of the rows.
 *
 * The state is a bytea, flat while small and an expanded object when large, as union_agg.c explains.
 * The fraction of a token is one division, rounded once: 1 row of 10 is not more than 0.1.
 */
#include "postgres.h"

#include "utils/float.h"

#include "tokenset/flat_counts.h"
#include "tokenset/token_counts.h"

PG_FUNCTION_INFO_V1(common_tokens_transition);
PG_FUNCTION_INFO_V1(common_tokens_combine);
PG_FUNCTION_INFO_V1(common_tokens_final);

/* Tokens of a state that is expanded. */
#define EXPAND_TOKENS 512

static double
check_fraction(FunctionCallInfo fcinfo, int argument)
{
	double fraction;

	if (PG_ARGISNULL(argument))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("fraction must not be null")));
	fraction = PG_GETARG_FLOAT8(argument);
	if (!(fraction >= 0 && fraction < 1))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("fraction must be at least 0 and less than 1"),
						errdetail("The fraction is %s.", float8out_internal(fraction))));

	/* -0 becomes 0: equal states are equal bytes. */
	return fraction + 0.0;
}

/* An object that this call may change; NULL where the state stays flat. */
static TokenCounts *
counts_to_change(FunctionCallInfo fcinfo, Size added)
{
	MemoryContext aggregate;
	TokenCounts *counts;
	bytea *flat;

	if (!AggCheckCallContext(fcinfo, &aggregate))
		return NULL;
	counts = TokenCountsOfDatum(PG_GETARG_DATUM(0), true);
	if (counts != NULL)
		return counts;
	flat = PG_GETARG_BYTEA_P(0);
	return FlatCountsMostTokens(flat) + added < EXPAND_TOKENS ? NULL
															  : TokenCountsExpand(flat, aggregate);
}

Datum
common_tokens_transition(PG_FUNCTION_ARGS)
{
	double fraction = check_fraction(fcinfo, 2);
	TokenCounts *counts;
	Tokenset *set;

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	set = PG_GETARG_TOKENSET(1);
	if (PG_ARGISNULL(0))
		PG_RETURN_BYTEA_P(FlatCountsOfRow(set, fraction));

	counts = counts_to_change(fcinfo, TokensetCount(set));
	if (counts == NULL)
		PG_RETURN_BYTEA_P(FlatCountsMerge(PG_GETARG_BYTEA_P(0), FlatCountsOfRow(set, fraction)));
	TokenCountsAddRow(counts, set, fraction);
	PG_RETURN_DATUM(TokenCountsDatum(counts));
}

Datum
common_tokens_combine(PG_FUNCTION_ARGS)
{
	bytea *added = PG_GETARG_BYTEA_P(1);
	TokenCounts *counts = counts_to_change(fcinfo, FlatCountsMostTokens(added));

	if (counts == NULL)
		PG_RETURN_BYTEA_P(FlatCountsMerge(PG_GETARG_BYTEA_P(0), added));
	TokenCountsAdd(counts, added);
	PG_RETURN_DATUM(TokenCountsDatum(counts));
}

/* Does not change the state: a window function goes on with it. */
Datum
common_tokens_final(PG_FUNCTION_ARGS)
{
	TokenCounts *counts = TokenCountsOfDatum(PG_GETARG_DATUM(0), false);

	if (counts == NULL)
		counts = TokenCountsExpand(PG_GETARG_BYTEA_P(0), CurrentMemoryContext);
	PG_RETURN_TOKENSET(TokenCountsCommon(counts));
}
