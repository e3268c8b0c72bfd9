/*
 * occurrences.h
 *		A multiset of tokens as a set (section 2.1 of the paper).
 */
#ifndef NEARDUP_OCCURRENCES_H
#define NEARDUP_OCCURRENCES_H

#include "text/tokens.h"

/* Token of an occurrence in a multiset; of the first the token itself. */
extern Token TokenOfOccurrence(Token token, int64 occurrence);

/*
 * Makes a sorted multiset a sorted set: further occurrences of a token become other tokens. Returns
 * their number, less by one for each two whose hashes collide.
 */
extern Size TokensNumberOccurrences(Token *tokens, Size count);

#endif
