/*
 * tokens.h
 *		Tokens, and growable lists of them.
 *
 * A token is a 64-bit number: the XXH3-64 of a text's bytes in UTF-8, or an integer itself. All
 * that follows, sets, measures, joins and sketches, sees only these numbers. Two different words
 * have the same token with a chance of 2^-64.
 */
#ifndef NEARDUP_TOKENS_H
#define NEARDUP_TOKENS_H

typedef int64 Token;

/* The tokens of a text or array in order, with repetitions. They are palloc'd in `context`. */
typedef struct TokenList
{
	Token *tokens;
	Size count;
	Size capacity;
	MemoryContext context;
} TokenList;

/* The most tokens of a list. */
#define TOKEN_LIST_MAX ((Size) PG_INT32_MAX)

/* Makes an empty list in the current memory context, with room for at least `capacity` tokens. */
extern void TokenListInit(TokenList *list, Size capacity);

/*
 * Ensures room for `additional` more tokens, which may move the array. Raises
 * program_limit_exceeded if there would be more than TOKEN_LIST_MAX.
 */
extern void TokenListGrow(TokenList *list, Size additional);

/* Appends a token. Errors are those of TokenListGrow. */
static inline void
TokenListAppend(TokenList *list, Token token)
{
	if (unlikely(list->count == list->capacity))
		TokenListGrow(list, 1);
	list->tokens[list->count++] = token;
}

/*
 * Appends `additional` tokens without values and returns where the first one goes. Errors are those
 * of TokenListGrow.
 */
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
