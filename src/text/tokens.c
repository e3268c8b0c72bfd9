/*
 * tokens.c
 *		Growing of lists of tokens.
 */
#include "postgres.h"

#include "utils/memutils.h"

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
