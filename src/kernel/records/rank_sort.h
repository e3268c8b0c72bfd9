/*
 * rank_sort.h
 *		Sorting the ranks of small sets in registers.
 */
#ifndef NEARDUP_KERNEL_RANK_SORT_H
#define NEARDUP_KERNEL_RANK_SORT_H

/* Greatest size of a set. */
#define RANK_SORT_MOST 128

/* Replaces ids, below 2^31, by their ranks, ascending, in each of the sets, at least one. */
typedef void (*RankSort)(const uint32 *rank_of_id, uint32 *sets, uint32 set_count, uint32 size);

/* NULL if this processor has none. */
extern RankSort RankSortBest(void);

#endif
