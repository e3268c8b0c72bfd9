/*
 * rank_sort.h
 *		Looking up and sorting the ranks of small sets, in the registers of the processor.
 */
#ifndef NEARDUP_KERNEL_RANK_SORT_H
#define NEARDUP_KERNEL_RANK_SORT_H

/* Size of the largest set. */
#define RANK_SORT_MOST 128

/* Replaces the ids of at least one set by their ranks, ascending. Ids are below 2^31. */
typedef void (*RankSort)(const uint32 *rank_of_id, uint32 *const *sets, uint32 set_count,
						 uint32 size);

/* The one of this processor; NULL if it has none. */
extern RankSort RankSortBest(void);

#endif
