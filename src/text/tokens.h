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

/* That need no memory but the stack's while they are sorted. */
#define FEW_TOKENS 256

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

extern Token TokenOfBytes(const char *bytes, Size length);

/* Token of an occurrence in a multiset; of the first the token itself. */
extern Token TokenOfOccurrence(Token token, int64 occurrence);

/* Sorts in linear time if the tokens are hashes. */
extern void TokensSort(Token *tokens, Size count);

/* Drops repetitions from a sorted array; returns the new count. */
extern Size TokensUnique(Token *tokens, Size count);

/*
 * Makes a sorted multiset a sorted set (section 2.1 of the paper): further occurrences of a token
 * become other tokens.
 */
extern void TokensNumberOccurrences(Token *tokens, Size count);

#endif
