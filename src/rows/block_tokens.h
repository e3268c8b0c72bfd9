/*
 * block_tokens.h
 *		Which tokens the rows of a block have, to skip rows that cannot be similar to any of them.
 *
 * A set that is similar to one of the block shares some least number of tokens with it, hence with
 * all rows of the block together. A row with fewer such tokens need not be loaded. For example, of
 * 100 tokens at Jaccard 0.8, at least 80 must be in the block, so the row is skipped as soon as 21
 * are not; most rows are, where texts share few of their shingles.
 *
 * Tokens are bits of a map, by their hashes. Tokens that share a bit let rows pass that could have
 * been skipped, never the reverse.
 */
#ifndef NEARDUP_JOIN_BLOCK_TOKENS_H
#define NEARDUP_JOIN_BLOCK_TOKENS_H

#include "rows/spill.h"

typedef struct BlockTokens
{
	JoinHost *host;
	uint64 *words; /* NULL if there is no map */
	uint64 word_count;
	int shift; /* by how many bits a hash is shifted to give the number of its bit */
} BlockTokens;

/* Makes an empty map for a number of tokens, of at most about this many bytes. */
extern void BlockTokensBegin(BlockTokens *tokens, JoinHost *host, uint64 token_count,
							 Size most_bytes);

/* Adds the tokens of a row. */
extern void BlockTokensAdd(BlockTokens *tokens, const SpillRow *row);

/* Returns whether the map may have at least `least` of a row's tokens. */
extern bool BlockTokensMayHave(const BlockTokens *tokens, const SpillRow *row, int64 least);

static inline Size
BlockTokensBytes(const BlockTokens *tokens)
{
	return tokens->word_count * sizeof(uint64);
}

/* Frees the map, if there is one. */
extern void BlockTokensFree(BlockTokens *tokens);

#endif
