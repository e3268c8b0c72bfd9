/*
 * lookups.h
 *		The tokens of a set that an index scan looks up.
 */
#ifndef NEARDUP_LOOKUPS_H
#define NEARDUP_LOOKUPS_H

#include "tokenset/statistics.h"

/* Number of lookups for a set of `count` tokens of which a match has at least `overlap`. */
extern int64 LookupCount(int64 count, int64 overlap);

/* The `lookups` rarest tokens of a set, in a new array. */
extern Token *RarestTokens(const SetStatistics *stats, const Tokenset *set, int64 lookups);

#endif
