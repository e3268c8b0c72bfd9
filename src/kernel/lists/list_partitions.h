/*
 * list_partitions.h
 *		Ranges of tokens whose lists are joined together.
 *
 * The fast caches hold the postings of a partition. They are written in the
 * order of records, and sorted into lists when joined.
 */
#ifndef NEARDUP_KERNEL_LIST_PARTITIONS_H
#define NEARDUP_KERNEL_LIST_PARTITIONS_H

#include "kernel/filters/join_spec.h"

/* Each has a line of the first-level cache while postings are written. */
#define LIST_MAX_PARTITIONS 512

/* What the second-level cache holds sorted; less of few postings, to save memory. */
#define LIST_PARTITION_POSTINGS 32768
#define LIST_LEAST_PARTITION_POSTINGS 512
#define LIST_MEAN_PARTITIONS 16

static inline uint64
ListPartitionPostings(uint64 postings)
{
	return Min(Max(postings / LIST_MEAN_PARTITIONS, LIST_LEAST_PARTITION_POSTINGS),
			   LIST_PARTITION_POSTINGS);
}

static inline uint64
ListPartitionCount(uint64 postings)
{
	return postings / ListPartitionPostings(postings) + 1;
}

/* Partitions begin at multiples of a power of two, a cell. */
#define LIST_MAX_CELLS 65536

typedef struct ListPartitions
{
	uint32 count;
	uint32 *tokens; /* partition p has tokens[p] to tokens[p + 1] - 1 */
	uint32 cell_shift;
	uint32 cell_count;
	uint16 *of_cell; /* until ListPartitionsFinish */
} ListPartitions;

/* About equally many postings each, by a sample of the records. */
extern void ListPartitionsInit(ListPartitions *partitions, const JoinSpec *spec);

static inline uint32
ListPartitionOf(const ListPartitions *partitions, uint32 token)
{
	return partitions->of_cell[token >> partitions->cell_shift];
}

extern void ListPartitionsFinish(ListPartitions *partitions, JoinHost *host);
extern void ListPartitionsFree(ListPartitions *partitions, JoinHost *host);

#endif
