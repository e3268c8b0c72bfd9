/*
 * prefix_index.h
 *		The inverted index of the records' indexing prefixes.
 *
 * It is an array of postings, list by list and each list in the order of records, and an array of
 * the lists' starts by token. Both are in shared memory. The index of a weighted join leaves out
 * repeats of the record before (repeat_join.h).
 */
#ifndef NEARDUP_KERNEL_PREFIX_INDEX_H
#define NEARDUP_KERNEL_PREFIX_INDEX_H

#include "kernel/filters/join_spec.h"

/* A token of an indexing prefix. */
typedef struct Posting
{
	uint32 record;
	union
	{
		uint32 position; /* place of the token in the record, from 0 */
		/*
		 * In a weighted join, the greatest extent of a record that may be similar if this token is the
		 * first common one, rounded up.
		 */
		float reach;
	};
	uint32 size_class;
} Posting;

/* What a weighted join needs of an indexed record to decide about a pair, in half a cache line. */
typedef struct IndexedWeights
{
	double extent;
	int64 first_token; /* place of its first token among the tokens of all records */
	uint32 size;
	uint32 prefix; /* number of indexed tokens */
	uint32 last;   /* the last indexed token */
	float rest;	   /* weight of the tokens behind it, rounded up */
} IndexedWeights;

/* The list of token w is postings[starts[w]] to postings[starts[w + 1] - 1]. */
typedef struct PrefixIndex
{
	uint64 *starts;
	Posting *postings;
} PrefixIndex;

/*
 * In a join of two sides each side looks up the other's index. In a directed join (join_spec.h) the
 * left side is not met, and its index is empty.
 */
typedef struct PrefixIndexes
{
	PrefixIndex sides[2];	 /* of left and of right records; both are one in a self-join */
	IndexedWeights *weights; /* by record, set for indexed ones; NULL unless the join is weighted */
	uint64 posting_count;
} PrefixIndexes;

extern void PrefixIndexBuild(PrefixIndexes *indexes, const JoinSpec *spec);
extern void PrefixIndexFree(PrefixIndexes *indexes, const JoinSpec *spec);

#endif
