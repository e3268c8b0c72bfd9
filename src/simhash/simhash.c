/*
 * simhash.c
 *		The SQL functions that make a simhash of tokens.
 *
 * The simhash of no tokens is NULL: a value without any bits would be near others for no reason.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "tsearch/ts_type.h"
#include "utils/array.h"

#include "simhash/simhash.h"
#include "simhash/weights.h"
#include "text/element_tokens.h"
#include "tokenset/tokenset.h"

PG_FUNCTION_INFO_V1(simhash_from_tokenset);
PG_FUNCTION_INFO_V1(simhash_from_weights);
PG_FUNCTION_INFO_V1(simhash_from_tsvector);

/* Tokens between two checks for interrupts. */
#define TOKENS_PER_STRIDE (1 << 15)

/* simhash(tokenset): all weights are 1. */
Datum
simhash_from_tokenset(PG_FUNCTION_ARGS)
{
	Tokenset *set = PG_GETARG_TOKENSET(0);
	uint32 count = TokensetCount(set);
	BitSums sums = {0};

	for (uint32 first = 0; first < count; first += TOKENS_PER_STRIDE)
	{
		CHECK_FOR_INTERRUPTS();
		BitSumsAddTokens(&sums, set->tokens + first, Min(count - first, TOKENS_PER_STRIDE));
	}
	PG_FREE_IF_COPY(set, 0);
	if (count == 0)
		PG_RETURN_NULL();
	PG_RETURN_SIMHASH(BitSumsSigns(&sums));
}

/*
 * Returns the weights in an array. A NULL raises null_value_not_allowed; more or fewer weights than
 * tokens raise array_subscript_error.
 */
static const float8 *
weights_or_error(ArrayType *array, Size tokens)
{
	Size count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));

	if (array_contains_nulls(array))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("array of weights must not contain nulls")));
	if (count != tokens)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("arrays of tokens and weights must have the same number of elements"),
				 errdetail("They have %zu and %zu elements.", tokens, count)));
	return (const float8 *) ArrayElements(array);
}

/* simhash(text[], float8[]): the token of each text with its weight. Repeated tokens add up. */
Datum
simhash_from_weights(PG_FUNCTION_ARGS)
{
	ArrayType *texts = PG_GETARG_ARRAYTYPE_P(0);
	ArrayType *weights = PG_GETARG_ARRAYTYPE_P(1);
	const float8 *weight;
	BitSums sums = {0};
	TokenList tokens;

	TokenListInit(&tokens, ArrayGetNItems(ARR_NDIM(texts), ARR_DIMS(texts)));
	TokensOfTextArray(texts, &tokens);
	weight = weights_or_error(weights, tokens.count);
	for (Size i = 0; i < tokens.count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		WeightedTokenAdd(&sums, tokens.tokens[i], weight[i]);
	}
	pfree(tokens.tokens);
	if (tokens.count == 0)
		PG_RETURN_NULL();
	PG_RETURN_SIMHASH(BitSumsSigns(&sums));
}

/* simhash(tsvector): the weight of a lexeme is the number of its positions, or 1 if it has none. */
Datum
simhash_from_tsvector(PG_FUNCTION_ARGS)
{
	TSVector vector = PG_GETARG_TSVECTOR(0);
	BitSums sums = {0};
	TokenList tokens;

	TokenListInit(&tokens, vector->size);
	TokensOfTSVector(vector, &tokens);
	for (int i = 0; i < vector->size; i++)
	{
		const WordEntry *entry = &ARRPTR(vector)[i];

		CHECK_FOR_INTERRUPTS();
		/* The total cannot overflow: a tsvector has fewer than 2^20 lexemes. */
		(void) BitSumsAddToken(&sums, tokens.tokens[i],
							   entry->haspos ? POSDATALEN(vector, entry) : 1);
	}
	pfree(tokens.tokens);
	if (vector->size == 0)
		PG_RETURN_NULL();
	PG_RETURN_SIMHASH(BitSumsSigns(&sums));
}
