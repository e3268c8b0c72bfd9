/*
 * block_sort.c
 *		Sorting the tokens within each of many sets of one size.
 *
 * A set arrives as token ids and leaves as ranks in ascending order. To sort each set by
 * comparisons would cost more than the join itself, so small sets are sorted in registers
 * (rank_sort.h), and larger ones many at a time.
 *
 * A block is as many sets as the second-level cache holds. Each of its tokens becomes one number:
 * the rank, followed by the set's number in the block. One radix sort puts all of them in the
 * order of ranks. Reading them in that order and appending each rank to its set sorts every set.
 * Two sets with the ranks {7, 2} and {5, 2} become 7|0 2|0 5|1 2|1, sorted 2|0 2|1 5|1 7|0, and
 * are written back as {2, 7} and {2, 5}. The sort need not look at the set's number, since the
 * order of sets within a rank does not matter.
 */
#include "c.h"

#include "kernel/records/block_sort.h"
#include "kernel/records/key_sort.h"

/* The counters of a digit fit into the first-level cache. */
#define MOST_DIGIT_BITS 11

/*
 * Tokens of a block. The second-level cache holds MOST_BLOCK of them twice. A block has at most
 * 1 / PART_OF_BLOCK of all tokens, so that the working memory stays small beside the sets. With
 * fewer tokens than LEAST_BLOCK, sorting by comparisons is faster.
 */
#define MOST_BLOCK 32768
#define PART_OF_BLOCK 8
#define LEAST_BLOCK 256

/* Sets that one call sorts in registers. */
#define SMALL_BATCH 128

void
BlockSorterInit(BlockSorter *sorter, JoinHost *host, const uint32 *rank_of_id, uint32 distinct,
				uint64 token_count)
{
	int bits = KeyBits(distinct);

	sorter->host = host;
	sorter->rank_of_id = rank_of_id;
	sorter->sort_small = RankSortBest();
	sorter->most_small = sorter->sort_small != NULL ? RANK_SORT_MOST : 0;
	sorter->block = (uint32) Min(token_count / PART_OF_BLOCK, MOST_BLOCK);
	sorter->set_bits = Min(32 - bits, 16);
	sorter->digits = (bits + MOST_DIGIT_BITS - 1) / MOST_DIGIT_BITS;
	sorter->digit_bits = (bits + sorter->digits - 1) / sorter->digits;
	sorter->from = JoinAllocate(host, sorter->block, sizeof(BlockToken));
	sorter->to = JoinAllocate(host, sorter->block, sizeof(BlockToken));
	sorter->next = JoinAllocate(host, sorter->block, sizeof(uint32 *));
	for (int i = 0; i < 2; i++)
		sorter->counts[i] = JoinAllocate(host, 1 << sorter->digit_bits, sizeof(uint32));
}

void
BlockSorterFree(BlockSorter *sorter)
{
	JoinHost *host = sorter->host;

	for (int i = 0; i < 2; i++)
		JoinRelease(host, sorter->counts[i], 1 << sorter->digit_bits, sizeof(uint32));
	JoinRelease(host, sorter->next, sorter->block, sizeof(uint32 *));
	JoinRelease(host, sorter->to, sorter->block, sizeof(BlockToken));
	JoinRelease(host, sorter->from, sorter->block, sizeof(BlockToken));
}

/*
 * Makes the block's tokens from the ids of `count` sets, and counts the values of the first digit.
 */
static void
look_up_ranks(BlockSorter *sorter, uint32 *sets, uint32 count, uint32 size, uint32 *restrict counts)
{
	const uint32 *rank_of_id = sorter->rank_of_id;
	BlockToken *restrict to = sorter->from;
	uint32 mask = ((uint32) 1 << sorter->digit_bits) - 1;
	int set_bits = sorter->set_bits;

	for (uint32 i = 0; i < count; i++)
	{
		uint32 *ids = sets + (uint64) i * size;

		sorter->next[i] = ids;
		for (uint32 k = 0; k < size; k++)
		{
			uint32 rank = rank_of_id[ids[k]];

			counts[rank & mask]++;
			*to++ = rank << set_bits | i;
		}
	}
}

/* Replaces the count of each value by the place of its first token. */
static void
counts_to_starts(uint32 *counts, uint32 values)
{
	uint32 so_far = 0;

	for (uint32 i = 0; i < values; i++)
	{
		uint32 count = counts[i];

		counts[i] = so_far;
		so_far += count;
	}
}

/* Sorts by the digit above `shift`, stably, and counts the values of the next digit. */
static void
sort_by_digit(const BlockToken *restrict from, BlockToken *restrict to, uint32 count, int shift,
			  int digit_bits, uint32 *restrict starts, uint32 *restrict next_counts)
{
	uint32 mask = ((uint32) 1 << digit_bits) - 1;

	for (uint32 i = 0; i < count; i++)
	{
		BlockToken token = from[i];
		uint32 digits = token >> shift;

		to[starts[digits & mask]++] = token;
		next_counts[digits >> digit_bits & mask]++;
	}
}

/* Appends each rank to the set that it came from. */
static void
write_ranks(const BlockToken *restrict from, uint32 count, int set_bits, uint32 **next)
{
	uint32 set_mask = ((uint32) 1 << set_bits) - 1;

	for (uint32 i = 0; i < count; i++)
		*next[from[i] & set_mask]++ = from[i] >> set_bits;
}

static void
sort_block(BlockSorter *sorter, uint32 *sets, uint32 count, uint32 size)
{
	uint32 values = (uint32) 1 << sorter->digit_bits;
	uint32 tokens = count * size;

	memset(sorter->counts[0], 0, values * sizeof(uint32));
	look_up_ranks(sorter, sets, count, size, sorter->counts[0]);
	for (int digit = 0; digit < sorter->digits; digit++)
	{
		uint32 *starts = sorter->counts[digit & 1];
		uint32 *next_counts = sorter->counts[(digit + 1) & 1];
		BlockToken *from = sorter->from;

		counts_to_starts(starts, values);
		memset(next_counts, 0, values * sizeof(uint32));
		sort_by_digit(from, sorter->to, tokens, sorter->set_bits + digit * sorter->digit_bits,
					  sorter->digit_bits, starts, next_counts);
		sorter->from = sorter->to;
		sorter->to = from;
	}
	write_ranks(sorter->from, tokens, sorter->set_bits, sorter->next);
	JoinTick(sorter->host, (uint64) tokens * (sorter->digits + 2));
}

static inline int
block_compare_ranks(const uint32 *a, const uint32 *b, JoinHost *host)
{
	JoinTick(host, 1);
	return *a < *b ? -1 : *a > *b;
}

#define ST_SORT sort_ranks
#define ST_ELEMENT_TYPE uint32
#define ST_COMPARE(a, b, host) block_compare_ranks(a, b, host)
#define ST_COMPARE_ARG_TYPE JoinHost
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* Sorts one set by comparisons. */
static void
sort_set(const BlockSorter *sorter, uint32 *tokens, uint32 size)
{
	for (uint32 k = 0; k < size; k++)
		tokens[k] = sorter->rank_of_id[tokens[k]];
	sort_ranks(tokens, size, sorter->host);
}

static void
sort_small_sets(BlockSorter *sorter, uint32 *tokens, uint32 count, uint32 size)
{
	for (uint32 first = 0; first < count; first += SMALL_BATCH)
	{
		uint32 batch = Min(count - first, SMALL_BATCH);

		sorter->sort_small(sorter->rank_of_id, tokens + (uint64) first * size, batch, size);
		JoinTick(sorter->host, (uint64) batch * size);
	}
}

static void
sort_blocks(BlockSorter *sorter, uint32 *tokens, uint32 count, uint32 size)
{
	uint32 most = Min((uint32) 1 << sorter->set_bits, sorter->block / size);

	for (uint32 first = 0, batch; first < count; first += batch)
	{
		uint32 *sets = tokens + (uint64) first * size;

		batch = Min(count - first, most);
		if (batch > 0 && batch * size >= LEAST_BLOCK)
			sort_block(sorter, sets, batch, size);
		else
		{
			batch = 1;
			sort_set(sorter, sets, size);
		}
	}
}

void
BlockSort(BlockSorter *sorter, uint32 *tokens, uint32 count, uint32 size)
{
	if (size <= sorter->most_small)
		sort_small_sets(sorter, tokens, count, size);
	else
		sort_blocks(sorter, tokens, count, size);
}
