/*
 * token_weights.c
 *		Weights of tokens: construction and search.
 */
#include "postgres.h"

#include "tokenset/token_weights.h"

TokenWeights *
TokenWeightsCheck(TokenWeights *weights)
{
	if (unlikely(weights->version != TOKEN_WEIGHTS_VERSION))
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
						errmsg("token_weights has unknown version %d", weights->version)));
	return weights;
}

TokenWeights *
TokenWeightsAllocate(Size count, uint32 other)
{
	Size most = (MaxAllocSize - TOKEN_WEIGHTS_HEADER_SIZE) / sizeof(ListedWeight);
	TokenWeights *weights;
	Size size;

	if (count > most)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("token_weights has too many tokens"),
						errdetail("It lists at most %zu tokens, not %zu.", most, count)));
	size = TOKEN_WEIGHTS_HEADER_SIZE + count * sizeof(ListedWeight);
	weights = palloc0(size);
	SET_VARSIZE(weights, size);
	weights->version = TOKEN_WEIGHTS_VERSION;
	weights->other = other;
	return weights;
}

/* Doubles the step until it has passed the token, and then searches the last step by halves. */
const ListedWeight *
TokenWeightsSeek(const TokenWeights *weights, const ListedWeight *from, Token token)
{
	const ListedWeight *end = TokenWeightsEnd(weights);
	Size step = 1;

	while ((Size) (end - from) >= step && from[step - 1].token < token)
	{
		from += step;
		step *= 2;
	}

	/* It is one of the next step - 1 entries, or the one behind them. */
	if ((Size) (end - from) >= step)
		end = from + step - 1;
	while (from < end)
	{
		const ListedWeight *middle = from + (end - from) / 2;

		if (middle->token < token)
			from = middle + 1;
		else
			end = middle;
	}
	return from;
}
