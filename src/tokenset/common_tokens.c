/*
 * common_tokens.c
 *		The aggregate common_tokens: tokens that occur in more than a fraction
 *		of the rows.
 *
 * The state is of type bytea, flat while small and an expanded object when it
 * has grown (see token_counts.h for both, union_agg.c for why). Like there,
 * an object is changed only inside an aggregate.
 *
 * "More than that fraction" is count / rows > fraction, one division rounded
 * once: 1 row of 10 is not more than 0.1.
 */
#include "postgres.h"

#include "utils/float.h"

#include "tokenset/token_counts.h"

PG_FUNCTION_INFO_V1(common_tokens_transition);
PG_FUNCTION_INFO_V1(common_tokens_combine);
PG_FUNCTION_INFO_V1(common_tokens_final);

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

	/* Makes 0 of -0, for equal states to be equal bytes. */
	return fraction + 0.0;
}

/* Whether a flat state should become an object now: counts to be kept, and many. */
static bool
should_expand(FunctionCallInfo fcinfo, Size tokens, MemoryContext *aggregate)
{
	return AggCheckCallContext(fcinfo, aggregate) && tokens >= TOKEN_COUNTS_EXPAND;
}

/* The state if it is an object that this call may change. */
static TokenCounts *
writable_counts(FunctionCallInfo fcinfo)
{
	return AggCheckCallContext(fcinfo, NULL) ? TokenCountsOfDatum(PG_GETARG_DATUM(0), true) : NULL;
}

Datum
common_tokens_transition(PG_FUNCTION_ARGS)
{
	double fraction = check_fraction(fcinfo, 2);
	MemoryContext aggregate;
	TokenCounts *counts;
	Tokenset *set;
	bytea *flat;

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	set = PG_GETARG_TOKENSET(1);
	if (PG_ARGISNULL(0))
		PG_RETURN_BYTEA_P(TokenCountsOfRow(set, fraction));

	counts = writable_counts(fcinfo);
	if (counts == NULL)
	{
		flat = PG_GETARG_BYTEA_P(0);
		if (!should_expand(fcinfo, TokenCountsSize(flat) + TokensetCount(set), &aggregate))
			PG_RETURN_BYTEA_P(TokenCountsMerge(flat, TokenCountsOfRow(set, fraction)));
		counts = TokenCountsExpand(flat, aggregate);
	}
	TokenCountsAddRow(counts, set, fraction);
	PG_RETURN_DATUM(TokenCountsDatum(counts));
}

Datum
common_tokens_combine(PG_FUNCTION_ARGS)
{
	bytea *added = PG_GETARG_BYTEA_P(1);
	TokenCounts *counts = writable_counts(fcinfo);
	MemoryContext aggregate;
	bytea *flat;

	if (counts == NULL)
	{
		flat = PG_GETARG_BYTEA_P(0);
		if (!should_expand(fcinfo, TokenCountsSize(flat) + TokenCountsSize(added), &aggregate))
			PG_RETURN_BYTEA_P(TokenCountsMerge(flat, added));
		counts = TokenCountsExpand(flat, aggregate);
	}
	TokenCountsAdd(counts, added);
	PG_RETURN_DATUM(TokenCountsDatum(counts));
}

/* Reads the state and does not change it: a window function goes on with it. */
Datum
common_tokens_final(PG_FUNCTION_ARGS)
{
	TokenCounts *counts = TokenCountsOfDatum(PG_GETARG_DATUM(0), false);

	if (counts == NULL)
		counts = TokenCountsExpand(PG_GETARG_BYTEA_P(0), CurrentMemoryContext);
	PG_RETURN_TOKENSET(TokenCountsCommon(counts));
}
