/*
 * token_sort.h
 *		Sorting tokens.
 */
#ifndef NEARDUP_TOKEN_SORT_H
#define NEARDUP_TOKEN_SORT_H

#include "text/tokens.h"

/* So many need no memory but the stack's. */
#define FEW_TOKENS 256

/* In linear time if the tokens are hashes. */
extern void TokensSort(Token *tokens, Size count);

/* Drops repetitions from a sorted array; returns the new count. */
extern Size TokensUnique(Token *tokens, Size count);

#endif
