/*
 * rank_sort.h
 *		Looking up and sorting the ranks of small sets, in the registers of the processor.
 */
#ifndef NEARDUP_JOIN_RANK_SORT_H
#define NEARDUP_JOIN_RANK_SORT_H

/* The largest set. */
#define RANK_SORT_MOST 128

/*
 * Replaces the ids of the tokens of sets, of the same size from 1 to RANK_SORT_MOST, by their
 * ranks, ascending. Ids are below 2^31; there is at least one set.
 */
typedef void (*RankSort)(const uint32 *rank_of_id, uint32 *const *sets, uint32 set_count,
						 uint32 size);

/* That of this processor; NULL where there is none. */
extern RankSort RankSortBest(void);

#endif
