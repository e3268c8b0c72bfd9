/*
 * simhash_agg.c
 *		The aggregate simhash_agg, over rows of a token and its weight.
 *
 * The state is an array of 65 int8: the total and the sums of bits (sketch/bit_sums.h), in units of
 * 2^-20. Its type is not internal, so that nodes of a cluster, which send partial states as text,
 * can compute the aggregate too. Inside an aggregate the array is changed in place. Users can call
 * the functions with any array, so states are checked.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"

#include "compat.h"
#include "simhash/simhash.h"
#include "simhash/weights.h"
#include "text/encoding.h"
#include "text/token_of_bytes.h"
#include "text/tokens.h"

PG_FUNCTION_INFO_V1(simhash_agg_transition);
PG_FUNCTION_INFO_V1(simhash_agg_combine);
PG_FUNCTION_INFO_V1(simhash_agg_final);

#define STATE_ELEMENTS (sizeof(BitSums) / sizeof(int64))
#define STATE_HEADER_SIZE ARR_OVERHEAD_NONULLS(1)
#define STATE_SIZE (STATE_HEADER_SIZE + sizeof(BitSums))

/* Raises invalid_parameter_value. */
static void
malformed_state(void)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("state of simhash_agg must be an array of %zu sums", STATE_ELEMENTS)));
}

/* Returns the sums within a state, after a check of its shape. */
static BitSums *
sums_of_state(ArrayType *state)
{
	if (VARSIZE(state) != STATE_SIZE || ARR_NDIM(state) != 1 || ARR_HASNULL(state) ||
		ARR_ELEMTYPE(state) != INT8OID || ARR_DIMS(state)[0] != STATE_ELEMENTS)
		malformed_state();
	return (BitSums *) ((char *) state + STATE_HEADER_SIZE);
}

/* Returns the sums of a state that may come from a user: none may exceed the total. */
static const BitSums *
checked_sums(ArrayType *state)
{
	const BitSums *sums = sums_of_state(state);

	/* With a total from 0 on, the test below also excludes PG_INT64_MIN, which has no opposite. */
	if (sums->total < 0)
		malformed_state();
	for (int bit = 0; bit < BIT_SUMS; bit++)
	{
		if (sums->sums[bit] > sums->total || sums->sums[bit] < -sums->total)
			malformed_state();
	}
	return sums;
}

static ArrayType *
new_state(void)
{
	ArrayType *state = palloc0(STATE_SIZE);

	SET_VARSIZE(state, STATE_SIZE);
	state->ndim = 1;
	state->elemtype = INT8OID;
	ARR_DIMS(state)[0] = STATE_ELEMENTS;
	ARR_LBOUND(state)[0] = 1;
	return state;
}

/* Returns the state of the first argument: itself inside an aggregate, otherwise a copy. */
static ArrayType *
writable_sums_state(FunctionCallInfo fcinfo)
{
	if (AggCheckCallContext(fcinfo, NULL))
		return PG_GETARG_ARRAYTYPE_P(0);
	return PG_GETARG_ARRAYTYPE_P_COPY(0);
}

/* Is not STRICT: it makes the first state, and skips rows with a NULL token or weight. */
Datum
simhash_agg_transition(PG_FUNCTION_ARGS)
{
	ArrayType *state;
	BitSums *sums;
	text *token;
	ByteSpan utf8;

	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	state = PG_ARGISNULL(0) ? new_state() : writable_sums_state(fcinfo);
	sums = sums_of_state(state);
	token = PG_GETARG_TEXT_PP(1);
	utf8 = ServerToUtf8OrRaw(VARDATA_ANY(token), VARSIZE_ANY_EXHDR(token));
	WeightedTokenAdd(sums, TokenOfBytes(utf8.data, utf8.length), PG_GETARG_FLOAT8(2));
	PG_RETURN_ARRAYTYPE_P(state);
}

/* Raises numeric_value_out_of_range where the sum of the totals overflows. */
Datum
simhash_agg_combine(PG_FUNCTION_ARGS)
{
	ArrayType *state = writable_sums_state(fcinfo);

	(void) checked_sums(state);
	if (!BitSumsAdd(sums_of_state(state), checked_sums(PG_GETARG_ARRAYTYPE_P(1))))
		WeightsOutOfRange();
	PG_RETURN_ARRAYTYPE_P(state);
}

Datum
simhash_agg_final(PG_FUNCTION_ARGS)
{
	PG_RETURN_SIMHASH(BitSumsSigns(checked_sums(PG_GETARG_ARRAYTYPE_P(0))));
}
