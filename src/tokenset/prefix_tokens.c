/*
 * prefix_tokens.c
 *		The set-returning function prefix_tokens: joins by equality of tokens.
 *
 * Similar sets have a token of their prefixes in common (token_order.h). So an engine that only
 * knows equality joins, such as a cluster's, joins the rows of this function by token, and verifies
 * the pairs (Vernica, Carey and Li, Efficient Parallel Set-Similarity Joins Using MapReduce, 2010).
 *
 * A query gives the same frequent tokens for each row, so the order that they define is kept from
 * call to call.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "measure/threshold.h"
#include "text/element_tokens.h"
#include "tokenset/token_order.h"

PG_FUNCTION_INFO_V1(prefix_tokens);

/* The order of the previous call, kept in fn_extra. */
typedef struct KeptOrder
{
	TokenOrder *order;
	Size size;		/* of the array that it was made of, in bytes */
	void *frequent; /* a copy of this array */
} KeptOrder;

/*
 * Returns the order that an array of frequent tokens defines. The previous one is used again if the
 * argument is the same throughout the query, or if its bytes are equal.
 */
static const TokenOrder *
order_of_call(FunctionCallInfo fcinfo, ArrayType *array)
{
	KeptOrder *kept = fcinfo->flinfo->fn_extra;
	MemoryContext previous = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
	TokenList frequent;

	if (kept == NULL)
		kept = fcinfo->flinfo->fn_extra = palloc0(sizeof(KeptOrder));
	else if (kept->order != NULL && get_fn_expr_arg_stable(fcinfo->flinfo, 3))
	{
		MemoryContextSwitchTo(previous);
		return kept->order;
	}
	if (kept->order == NULL || kept->size != VARSIZE(array) ||
		memcmp(kept->frequent, array, kept->size) != 0)
	{
		TokenListInit(&frequent, 16);
		TokensOfInt8Array(array, &frequent);
		if (kept->order != NULL)
		{
			TokenOrderFree(kept->order);
			pfree(kept->frequent);
			kept->order = NULL;
		}
		kept->size = VARSIZE(array);
		kept->frequent = palloc(kept->size);
		memcpy(kept->frequent, array, kept->size);
		kept->order = TokenOrderCreate(frequent.tokens, frequent.count);
		pfree(frequent.tokens);
	}
	MemoryContextSwitchTo(previous);
	return kept->order;
}

/*
 * prefix_tokens(tokens, threshold, measure, frequent): the tokens of the prefix, with their places
 * from 1 on. Raises invalid_parameter_value for a threshold or measure that is not valid.
 */
Datum
prefix_tokens(PG_FUNCTION_ARGS)
{
	const Tokenset *set = PG_GETARG_TOKENSET(0);
	Measure measure = SetMeasureOrError(text_to_cstring(PG_GETARG_TEXT_PP(2)));
	Predicate predicate = PredicateOrError(measure, PG_GETARG_FLOAT8(1));
	const TokenOrder *order = order_of_call(fcinfo, PG_GETARG_ARRAYTYPE_P(3));
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	int32 length = TokenPrefixLength(predicate, TokensetCount(set));
	Token *prefix = palloc_extended(Max(length, 1) * sizeof(Token), MCXT_ALLOC_HUGE);

	InitMaterializedSRF(fcinfo, 0);
	TokenPrefix(order, set, length, prefix);
	for (int32 i = 0; i < length; i++)
	{
		Datum values[2] = {nd_int64_datum(&prefix[i]), Int32GetDatum(i + 1)};
		bool nulls[2] = {false, false};

		CHECK_FOR_INTERRUPTS();
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	pfree(prefix);
	return (Datum) 0;
}
