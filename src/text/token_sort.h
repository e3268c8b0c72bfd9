/*
 * token_sort.h
 *		Sorting of tokens.
 */
#ifndef NEARDUP_TOKEN_SORT_H
#define NEARDUP_TOKEN_SORT_H

#include "text/tokens.h"

/* The number of tokens up to which only the stack is used. */
#define FEW_TOKENS 256

/*
 * Sorts tokens into ascending order. Takes linear time if they are hashes, and no more than a
 * comparison sort otherwise. May allocate a second array in the current memory context, which it
 * frees. Can be cancelled.
 */
extern void TokensSort(Token *tokens, Size count);

/* Removes repetitions from a sorted array, and returns the new count. */
extern Size TokensUnique(Token *tokens, Size count);

#endif
