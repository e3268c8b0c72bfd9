/*
 * rank_sort.h
 *		Looking up and sorting the ranks of one set, in the registers of the processor.
 */
#ifndef NEARDUP_JOIN_RANK_SORT_H
#define NEARDUP_JOIN_RANK_SORT_H

/* The largest set. */
#define RANK_SORT_MOST 128

/*
 * Replaces the ids of count tokens, at least one and at most RANK_SORT_MOST, which are
 * below 2^31, by their ranks, ascending.
 */
typedef void (*RankSort)(const uint32 *rank_of_id, uint32 *tokens, uint32 count);

/* That of this processor; NULL where there is none. */
extern RankSort RankSortBest(void);

#endif
