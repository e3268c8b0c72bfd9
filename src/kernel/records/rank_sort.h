/*
 * rank_sort.h
 *		Sorting the ranks of small sets in registers.
 */
#ifndef NEARDUP_KERNEL_RANK_SORT_H
#define NEARDUP_KERNEL_RANK_SORT_H

/* Sets of at most this size can be sorted. */
#define RANK_SORT_MOST 128

/*
 * Replaces the ids in each of `set_count` sets, which follow each other, by their ranks, ascending.
 * There is at least one set; ids are below 2^31.
 */
typedef void (*RankSort)(const uint32 *rank_of_id, uint32 *sets, uint32 set_count, uint32 size);

/* Returns the function for this processor, or NULL if there is none. */
extern RankSort RankSortBest(void);

#endif
