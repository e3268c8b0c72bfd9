/*
 * prefix_tokens.c
 *		The set-returning function prefix_tokens: joins by equality of tokens.
 *
 * The order is kept from call to call, since a query gives the same frequent tokens for each row.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "measure/threshold.h"
#include "text/element_tokens.h"
#include "text/interrupts.h"
#include "tokenset/token_order.h"

PG_FUNCTION_INFO_V1(prefix_tokens);

typedef struct KeptOrder
{
	TokenOrder *order;
	Size size;		/* of the array of frequent tokens, in bytes */
	void *frequent; /* its copy */
} KeptOrder;

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

/* Arguments: tokens, threshold, measure, frequent. */
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
		Datum values[2] = {Int64GetDatum(prefix[i]), Int32GetDatum(i + 1)};
		bool nulls[2] = {false, false};

		CHECK_NOW_AND_THEN(i);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	pfree(prefix);
	return (Datum) 0;
}
