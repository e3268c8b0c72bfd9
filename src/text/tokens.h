/*
 * tokens.h
 *		Tokens, and growable lists of them.
 *
 * A token is the XXH3-64 of a text's UTF-8 bytes, or an integer itself.
 */
#ifndef NEARDUP_TOKENS_H
#define NEARDUP_TOKENS_H

typedef int64 Token;

/* More than TOKEN_LIST_MAX tokens raise program_limit_exceeded. */
typedef struct TokenList
{
	Token *tokens;
	Size count;
	Size capacity;
	MemoryContext context;
} TokenList;

#define TOKEN_LIST_MAX ((Size) PG_INT32_MAX)

extern void TokenListInit(TokenList *list, Size capacity);
extern void TokenListGrow(TokenList *list, Size additional);

static inline void
TokenListAppend(TokenList *list, Token token)
{
	if (unlikely(list->count == list->capacity))
		TokenListGrow(list, 1);
	list->tokens[list->count++] = token;
}

/* Room for so many tokens, which count as appended. */
static inline Token *
TokenListExtend(TokenList *list, Size additional)
{
	Token *tokens;

	if (list->capacity - list->count < additional)
		TokenListGrow(list, additional);
	tokens = list->tokens + list->count;
	list->count += additional;
	return tokens;
}

#endif
