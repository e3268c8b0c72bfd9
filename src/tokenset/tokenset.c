/*
 * tokenset.c
 *		Construction of token sets, and the size of their intersection.
 *
 * Sets of similar sizes are merged. Which of two tokens is less cannot be predicted, so the merge
 * has no branch on that: each step moves one side on, or both, by adding the results of
 * comparisons. A step moves either side by at most one token, so that as many steps as the shorter
 * rest has tokens need no test for the end. After each block of steps it is tested whether the
 * overlap can still be reached.
 *
 * If one set is much larger, each token of the small one is sought in it, by steps that double.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "miscadmin.h"

#include "compat.h"
#include "text/occurrences.h"
#include "text/token_sort.h"
#include "tokenset/tokenset.h"

/* Raises data_corrupted. */
nd_noreturn static void
unknown_version(int version)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED), errmsg("tokenset has unknown version %d", version)));
}

Tokenset *
TokensetCheck(Tokenset *set)
{
	if (unlikely(set->version != TOKENSET_VERSION))
		unknown_version(set->version);
	return set;
}

const void *
TokensetPackedTokens(const struct varlena *value, Size *count)
{
	Size header = TOKENSET_HEADER_SIZE - VARHDRSZ;

	if (unlikely(VARSIZE_ANY_EXHDR(value) < header))
		unknown_version(0);
	if (unlikely(*(const uint8 *) VARDATA_ANY(value) != TOKENSET_VERSION))
		unknown_version(*(const uint8 *) VARDATA_ANY(value));
	*count = (VARSIZE_ANY_EXHDR(value) - header) / sizeof(Token);
	return VARDATA_ANY(value) + header;
}

int32
TokensetDatumCount(Datum value)
{
	return (toast_raw_datum_size(value) - TOKENSET_HEADER_SIZE) / sizeof(Token);
}

void
TokensetCheckCount(Size count)
{
	if (count > TOKENSET_MAX_TOKENS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("tokenset has too many tokens"),
				 errdetail("A tokenset holds at most %zu tokens, not %zu.", TOKENSET_MAX_TOKENS,
						   count)));
}

Tokenset *
TokensetAllocate(Size count)
{
	Tokenset *set;
	Size size;

	TokensetCheckCount(count);
	size = TOKENSET_HEADER_SIZE + count * sizeof(Token);
	set = palloc(size);
	SET_VARSIZE(set, size);
	set->version = TOKENSET_VERSION;
	memset(set->unused, 0, sizeof(set->unused));
	return set;
}

/* Returns sorted, distinct tokens as a new set. */
static Tokenset *
set_of_distinct(const Token *tokens, Size count)
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
	return set_of_distinct(tokens, TokensUnique(tokens, count));
}

Tokenset *
TokensetFromList(TokenList *list, bool is_multiset)
{
	Tokenset *set;

	TokensSort(list->tokens, list->count);
	list->count = is_multiset ? TokensNumberOccurrences(list->tokens, list->count)
							  : TokensUnique(list->tokens, list->count);
	set = set_of_distinct(list->tokens, list->count);
	pfree(list->tokens);
	return set;
}

/* Steps of a merge between two tests of `least`. */
#define MERGE_BLOCK 64

/* TokensetOverlapIfAtLeast, by merging. */
static int32
merge_overlap(const Tokenset *a, const Tokenset *b, int64 least)
{
	const Token *x = a->tokens;
	const Token *y = b->tokens;
	const Token *x_end = x + TokensetCount(a);
	const Token *y_end = y + TokensetCount(b);
	int32 overlap = 0;

	while (x < x_end && y < y_end)
	{
		int64 rest = Min(x_end - x, y_end - y);

		if (overlap + rest < least)
			break;
		for (int64 step = Min(rest, MERGE_BLOCK); step > 0; step--)
		{
			Token left = *x;
			Token right = *y;

			overlap += left == right;
			x += left <= right;
			y += right <= left;
		}
		CHECK_FOR_INTERRUPTS();
	}
	return overlap;
}

/* TokensetOverlapIfAtLeast, by seeking the tokens of the small set in the large one. */
static int32
seek_overlap(const Tokenset *small, const Tokenset *large, int64 least)
{
	const Token *y = large->tokens;
	const Token *y_end = y + TokensetCount(large);
	int32 count = TokensetCount(small);
	int32 overlap = 0;

	for (int32 i = 0; i < count && overlap + (count - i) >= least; i++)
	{
		y = TokensSeek(y, y_end, small->tokens[i]);
		if (y == y_end)
			break;
		overlap += *y == small->tokens[i];
		CHECK_FOR_INTERRUPTS();
	}
	return overlap;
}

/* The ratio of sizes from which seeking is faster than merging. */
#define SEEK_RATIO 16

int32
TokensetOverlapIfAtLeast(const Tokenset *a, const Tokenset *b, int64 least)
{
	if (TokensetCount(a) / SEEK_RATIO > TokensetCount(b))
		return seek_overlap(b, a, least);
	if (TokensetCount(b) / SEEK_RATIO > TokensetCount(a))
		return seek_overlap(a, b, least);
	return merge_overlap(a, b, least);
}

int32
TokensetOverlap(const Tokenset *a, const Tokenset *b)
{
	return TokensetOverlapIfAtLeast(a, b, 0);
}
