/*
 * tokens.c
 *		Token lists and token hashes, the same on every platform.
 */
#include "postgres.h"

#include <xxhash.h>

#include "port/pg_bswap.h"
#include "utils/memutils.h"

#include "text/interrupts.h"
#include "text/tokens.h"

void
TokenListInit(TokenList *list, Size capacity)
{
	list->context = CurrentMemoryContext;
	list->count = 0;
	list->capacity = Max(capacity, 16);
	list->tokens = MemoryContextAllocHuge(list->context, list->capacity * sizeof(Token));
}

void
TokenListGrow(TokenList *list, Size additional)
{
	if (additional > TOKEN_LIST_MAX - list->count)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("too many tokens"),
						errdetail("A text or array may have at most %zu tokens.", TOKEN_LIST_MAX)));
	while (list->capacity - list->count < additional)
		list->capacity *= 2;
	list->tokens = repalloc_huge(list->tokens, list->capacity * sizeof(Token));
}

Token
TokenOfBytes(const char *bytes, Size length)
{
	return (Token) XXH3_64bits(bytes, length);
}

Token
TokenOfOccurrence(Token token, int64 occurrence)
{
	uint64 bytes[2];

	if (occurrence == 1)
		return token;
	bytes[0] = (uint64) token;
	bytes[1] = (uint64) occurrence;
#ifdef WORDS_BIGENDIAN
	bytes[0] = pg_bswap64(bytes[0]);
	bytes[1] = pg_bswap64(bytes[1]);
#endif
	return (Token) XXH3_64bits(bytes, sizeof(bytes));
}

#define ST_SORT sort_tokens
#define ST_ELEMENT_TYPE Token
#define ST_COMPARE(a, b) (*(a) < *(b) ? -1 : *(a) > *(b))
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

void
TokensSort(Token *tokens, Size count)
{
	sort_tokens(tokens, count);
}

Size
TokensUnique(Token *tokens, Size count)
{
	Size kept = 0;

	for (Size i = 0; i < count; i++)
	{
		CHECK_NOW_AND_THEN(i);
		if (kept == 0 || tokens[kept - 1] != tokens[i])
			tokens[kept++] = tokens[i];
	}
	return kept;
}

void
TokensNumberOccurrences(Token *tokens, Size count)
{
	Token current = 0;
	int64 occurrence = 0;

	TokensSort(tokens, count);
	for (Size i = 0; i < count; i++)
	{
		CHECK_NOW_AND_THEN(i);
		if (i > 0 && tokens[i] == current)
			tokens[i] = TokenOfOccurrence(current, ++occurrence);
		else
		{
			current = tokens[i];
			occurrence = 1;
		}
	}
}
