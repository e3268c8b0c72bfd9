/*
 * common_tokens.c
 *		The aggregate common_tokens: the tokens that occur in more than a fraction of the rows.
 *
 * The fraction of a token is one division, rounded once, that is compared with the argument: so 1
 * row of 10 is not more than 0.1.
 */
#include "postgres.h"

#include "utils/float.h"

#include "counts/token_counts.h"

PG_FUNCTION_INFO_V1(common_tokens_transition);
PG_FUNCTION_INFO_V1(common_tokens_combine);
PG_FUNCTION_INFO_V1(common_tokens_final);

/*
 * Returns the fraction. Raises null_value_not_allowed for NULL, and invalid_parameter_value unless
 * it is at least 0 and less than 1.
 */
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

	/* -0 becomes 0, so that equal states are equal bytes. */
	return fraction + 0.0;
}

Datum
common_tokens_transition(PG_FUNCTION_ARGS)
{
	return TokenCountsTransition(fcinfo, check_fraction(fcinfo, 2));
}

Datum
common_tokens_combine(PG_FUNCTION_ARGS)
{
	return TokenCountsCombine(fcinfo);
}

Datum
common_tokens_final(PG_FUNCTION_ARGS)
{
	PG_RETURN_TOKENSET(TokenCountsCommon(TokenCountsOfState(PG_GETARG_DATUM(0))));
}
