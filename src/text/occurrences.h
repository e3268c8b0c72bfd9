/*
 * occurrences.h
 *		A multiset of tokens as a set (section 2.1 of the paper).
 *
 * Measures of sets count a repeated word once. To count it as often as it occurs, occurrences are
 * numbered: the first occurrence of a token is the token itself, and the n-th is another token,
 * which is the hash of the token and n. "a rose is a rose" becomes {a, rose, is, a2, rose2}, and
 * two texts share as many of a word's tokens as both have occurrences of it. So the Jaccard
 * similarity of such sets is the similarity of the multisets.
 */
#ifndef NEARDUP_OCCURRENCES_H
#define NEARDUP_OCCURRENCES_H

#include "text/tokens.h"

/* Returns the token of an occurrence, numbered from 1; of the first one the token itself. */
extern Token TokenOfOccurrence(Token token, int64 occurrence);

/*
 * Makes a sorted multiset, in place, the sorted set of its numbered occurrences. Returns the size
 * of the set, which is `count`, unless hashes collide: equal tokens become one.
 */
extern Size TokensNumberOccurrences(Token *tokens, Size count);

#endif
