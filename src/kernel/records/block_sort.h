/*
 * block_sort.h
 *		Sorting the tokens within each of many sets of one size.
 */
#ifndef NEARDUP_KERNEL_BLOCK_SORT_H
#define NEARDUP_KERNEL_BLOCK_SORT_H

#include "kernel/host.h"
#include "kernel/records/rank_sort.h"

/* A rank, and in the lower bits the number of its set in the block. */
typedef uint32 BlockToken;

/* Working memory, which serves sets of all sizes. */
typedef struct BlockSorter
{
	JoinHost *host;
	const uint32 *rank_of_id;
	RankSort sort_small;
	uint32 most_small; /* size of the largest set that sort_small takes, or 0 */
	uint32 block;	   /* tokens that a block has at most */
	int set_bits;
	int digits;
	int digit_bits;
	BlockToken *from;
	BlockToken *to;
	uint32 **next;	   /* for each set of the block, where its next rank goes */
	uint32 *counts[2]; /* by value of a digit: of this digit and the next one */
} BlockSorter;

/*
 * Prepares for sorting sets that have `token_count` tokens in all. Ids are at most `distinct`;
 * rank_of_id gives each a rank below `distinct`.
 */
extern void BlockSorterInit(BlockSorter *sorter, JoinHost *host, const uint32 *rank_of_id,
							uint32 distinct, uint64 token_count);

/* Replaces the ids of each of `count` sets, which follow each other, by their ranks, ascending. */
extern void BlockSort(BlockSorter *sorter, uint32 *tokens, uint32 count, uint32 size);

extern void BlockSorterFree(BlockSorter *sorter);

#endif
