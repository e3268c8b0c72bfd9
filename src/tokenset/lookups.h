/*
 * lookups.h
 *		The tokens of a set that an index scan looks up.
 */
#ifndef NEARDUP_LOOKUPS_H
#define NEARDUP_LOOKUPS_H

#include "tokenset/statistics.h"

/*
 * Returns how many tokens of a set to look up, if the set has `count` tokens and each match has at
 * least `overlap` of them. A match then has at least `overlap` less the number that is left out of
 * them, which is still positive if `overlap` is.
 */
extern int64 LookupCount(int64 count, int64 overlap);

/* Returns the `lookups` rarest tokens of a set in a new array, the rarest first. */
extern Token *RarestTokens(const SetStatistics *stats, const Tokenset *set, int64 lookups);

#endif
