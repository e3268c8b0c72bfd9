/*
 * list_partitions.h
 *		Partitions: ranges of tokens whose lists are sorted and joined together.
 *
 * A partition has no more postings than the fast caches hold, unless it has a long list: a list is
 * never cut. Postings are written in the order of records, each into its partition, and are sorted
 * into lists when the partition is joined.
 */
#ifndef NEARDUP_KERNEL_LIST_PARTITIONS_H
#define NEARDUP_KERNEL_LIST_PARTITIONS_H

#include "kernel/filters/join_spec.h"

/* While postings are written, each partition takes a line of the first-level cache. */
#define LIST_MAX_PARTITIONS 512

/* The second-level cache holds this many postings when they are sorted. */
#define LIST_PARTITION_POSTINGS 32768

/* A small index has this many partitions, but not of fewer postings: sorting takes less memory. */
#define LIST_MEAN_PARTITIONS 16
#define LIST_LEAST_PARTITION_POSTINGS 512

/* Returns how many postings a partition should have, of the given number in all. */
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

/* A partition begins with a cell, a power of two of tokens. */
#define LIST_MAX_CELLS 65536

typedef struct ListPartitions
{
	uint32 count;
	uint32 *tokens; /* partition p has tokens[p] to tokens[p + 1] - 1 */
	uint32 cell_shift;
	uint32 cell_count;
	uint16 *of_cell; /* the partition of each cell; kept until ListPartitionsFinish */
} ListPartitions;

/* Cuts the tokens of several records into partitions of about equally many postings. */
extern void ListPartitionsInit(ListPartitions *partitions, const JoinSpec *spec);

static inline uint32
ListPartitionOf(const ListPartitions *partitions, uint32 token)
{
	return partitions->of_cell[token >> partitions->cell_shift];
}

/* Frees what only ListPartitionOf needs. */
extern void ListPartitionsFinish(ListPartitions *partitions, JoinHost *host);
extern void ListPartitionsFree(ListPartitions *partitions, JoinHost *host);

#endif
