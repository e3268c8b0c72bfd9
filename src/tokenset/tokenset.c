/*
 * tokenset.c
 *		Making token sets, and the size of their intersection.
 *
 * A tokenset is a varlena of sorted distinct tokens behind a version byte
 * (see tokenset.h). Its storage is "external": hashes do not compress.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "tokenset/tokenset.h"

Tokenset *
TokensetCheck(Tokenset *set)
{
	if (unlikely(set->version != TOKENSET_VERSION))
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
						errmsg("tokenset has unknown version %d", set->version)));
	return set;
}

Tokenset *
TokensetAllocate(Size count)
{
	Tokenset *set;
	Size size;

	if (count > TOKENSET_MAX_TOKENS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("tokenset has too many tokens"),
				 errdetail("A tokenset holds at most %zu tokens, not %zu.", TOKENSET_MAX_TOKENS,
						   count)));
	size = TOKENSET_HEADER_SIZE + count * sizeof(Token);
	set = palloc(size);
	SET_VARSIZE(set, size);
	set->version = TOKENSET_VERSION;
	memset(set->unused, 0, sizeof(set->unused));
	return set;
}

Tokenset *
TokensetFromSorted(const Token *tokens, Size count)
{
	Tokenset *set = TokensetAllocate(count);

	if (count > 0)
		memcpy(set->tokens, tokens, count * sizeof(Token));
	return set;
}

Tokenset *
TokensetFromTokens(Token *tokens, Size count)
{
	TokensSort(tokens, count);
	return TokensetFromSorted(tokens, TokensUnique(tokens, count));
}

int32
TokensetOverlap(const Tokenset *a, const Tokenset *b)
{
	const Token *x = a->tokens;
	const Token *y = b->tokens;
	const Token *x_end = x + TokensetCount(a);
	const Token *y_end = y + TokensetCount(b);
	int32 overlap = 0;

	while (x < x_end && y < y_end)
	{
		Token left = *x;
		Token right = *y;

		overlap += left == right;
		x += left <= right;
		y += right <= left;
	}
	return overlap;
}
