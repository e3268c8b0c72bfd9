/*
 * greedy_match.h
 *		Matches rows one to one, by the pairs of their groups.
 */
#ifndef NEARDUP_JOIN_GREEDY_MATCH_H
#define NEARDUP_JOIN_GREEDY_MATCH_H

#include "join/call/row_places.h"

typedef struct GreedyMatch GreedyMatch;

/* Takes a match, of two places. */
typedef void (*TakeMatch)(void *context, const RankedPair *pair);

/* Begins with all rows free, in the current memory context. */
extern GreedyMatch *GreedyMatchBegin(const RowPlaces *places, Measure measure, TakeMatch take,
									 void *take_context);

/*
 * Begins a pass, which finds all pairs up to some distance. If most_pairs is not 0, no group has more
 * than one free row, and the pass may lack pairs of which one row has this many better ones that it finds.
 */
extern void GreedyMatchBeginPass(GreedyMatch *match, uint32 most_pairs);

/* Puts a pair of groups; returns whether both have free rows. */
extern bool GreedyMatchPut(GreedyMatch *match, const GroupPair *pair);

/*
 * Matches rows in the order of (distance, a, b), where a is the lesser place in a self-join by a
 * symmetric measure. Two rows match if both are free, and in a self-join only if their keys differ.
 * Returns the number of matches. Sets *is_whole to false if memory, or the pairs that the pass
 * found, sufficed for the first of them only: then the pass must be repeated.
 */
extern uint32 GreedyMatchEndPass(GreedyMatch *match, bool *is_whole);

/* Whether a group has a free row. */
extern bool GreedyMatchHasFree(GreedyMatch *match, uint32 group);

#endif
