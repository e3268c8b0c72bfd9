/*
 * tokens.h
 *		Tokens, and growable lists of them.
 *
 * A token is 64 bits. A text token is the XXH3-64 of its UTF-8 bytes; an
 * integer token is the integer itself. Tokens order as signed integers,
 * which is how the tokenset type writes them.
 */
#ifndef NEARDUP_TOKENS_H
#define NEARDUP_TOKENS_H

typedef int64 Token;

/*
 * A list in the memory context that was current at TokenListInit. It may hold
 * a token more than once, and grows to TOKEN_LIST_MAX tokens; beyond them
 * appending raises program_limit_exceeded.
 */
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

/* XXH3-64 of the bytes. */
extern Token TokenOfBytes(const char *bytes, Size length);

/* Token of the given occurrence of a token in a multiset; occurrence 1 is the token itself. */
extern Token TokenOfOccurrence(Token token, int64 occurrence);

/* Sorts ascending. Can be cancelled. */
extern void TokensSort(Token *tokens, Size count);

/* Drops repeated tokens of a sorted array; returns how many remain. Can be cancelled. */
extern Size TokensUnique(Token *tokens, Size count);

/*
 * Makes a multiset a set (section 2.1 of the paper): sorts, and turns the
 * second, third, ... occurrence of a token into tokens of their own.
 * The result is unsorted and without repetitions (but for hash collisions).
 * Can be cancelled.
 */
extern void TokensNumberOccurrences(Token *tokens, Size count);

#endif
