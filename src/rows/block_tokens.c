/*
 * block_tokens.c
 *		A map of the tokens of a block.
 */
#include "postgres.h"

#include "port/pg_bitutils.h"

#include "rows/block_tokens.h"
#include "kernel/records/dictionary.h"

/* Bits for each token. With eight, one of eight tokens that the block lacks seems to be in it. */
#define BITS_PER_TOKEN 8

#define LEAST_BITS 1024

void
BlockTokensBegin(BlockTokens *tokens, JoinHost *host, uint64 token_count, Size most_bytes)
{
	uint64 bits = Min(token_count * BITS_PER_TOKEN, (uint64) most_bytes * 8);

	bits = pg_nextpower2_64(Max(bits / 2 + 1, LEAST_BITS));
	tokens->host = host;
	tokens->word_count = bits / 64;
	tokens->words = JoinAllocateZero(host, tokens->word_count, sizeof(uint64));
	tokens->shift = 64 - pg_leftmost_one_pos64(bits);
}

/* An id may stand for another token in the map, which then only skips less. */
static inline uint64
bit_of(const BlockTokens *tokens, int64 token)
{
	return DictionaryHash(token) >> tokens->shift;
}

void
BlockTokensAdd(BlockTokens *tokens, const SpillRow *row)
{
	for (uint32 i = 0; i < row->size; i++)
	{
		uint64 bit = bit_of(tokens, SpillRowToken(row, i));

		tokens->words[bit / 64] |= UINT64CONST(1) << (bit % 64);
	}
	JoinTick(tokens->host, row->size);
}

/* Stops as soon as too many tokens are missing. */
bool
BlockTokensMayHave(const BlockTokens *tokens, const SpillRow *row, int64 least)
{
	int64 may_lack = (int64) row->size - least;
	uint32 place = 0;

	while (place < row->size && may_lack >= 0)
	{
		uint64 bit = bit_of(tokens, SpillRowToken(row, place));

		may_lack -= !(tokens->words[bit / 64] >> (bit % 64) & 1);
		place++;
	}
	JoinTick(tokens->host, place + 1);
	return may_lack >= 0;
}

void
BlockTokensFree(BlockTokens *tokens)
{
	if (tokens->words != NULL)
		JoinRelease(tokens->host, tokens->words, tokens->word_count, sizeof(uint64));
	tokens->words = NULL;
	tokens->word_count = 0;
}
