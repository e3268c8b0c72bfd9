/*
 * token_weights.c
 *		Weights of tokens: construction and search.
 */
#include "postgres.h"

#include "bisect.h"
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

/* The length of a list from which the place of a token is guessed. */
#define GUESS_FROM 32

/*
 * Guesses where in a list that is not empty a token is, as if tokens were spread evenly. Tokens of
 * texts are, since they are hashes.
 */
static const ListedWeight *
guess_place(const ListedWeight *from, const ListedWeight *end, Token token)
{
	uint64 before;
	uint64 span;

	if (end - from < GUESS_FROM || token <= from->token)
		return from;
	if (token >= end[-1].token)
		return end - 1;
	before = (uint64) token - (uint64) from->token;
	span = (uint64) end[-1].token - (uint64) from->token;
	return from + (Size) ((double) before / (double) span * (double) (end - 1 - from));
}

/*
 * From the guess on it goes forward or back, doubling the step until it has passed the token, and
 * then searches the last step by halves.
 */
const ListedWeight *
TokenWeightsSeek(const TokenWeights *weights, const ListedWeight *from, Token token)
{
	const ListedWeight *end = TokenWeightsEnd(weights);
	const ListedWeight *guess;
	Size step = 1;

	if (from == end)
		return end;
	guess = guess_place(from, end, token);
	if (guess->token < token)
	{
		from = guess;
		while ((Size) (end - from) >= step && from[step - 1].token < token)
		{
			from += step;
			step *= 2;
		}
		/* The entry is one of the next step - 1 ones, or the one behind these. */
		if ((Size) (end - from) >= step)
			end = from + step - 1;
	}
	else
	{
		end = guess;
		while ((Size) (end - from) >= step && (end - step)->token >= token)
		{
			end -= step;
			step *= 2;
		}
		/* The entry is one of the step - 1 ones before `end`, or `end` itself. */
		if ((Size) (end - from) >= step)
			from = end - step + 1;
	}
	BISECT(const ListedWeight *, from, end, at, at->token < token);
	return from;
}
