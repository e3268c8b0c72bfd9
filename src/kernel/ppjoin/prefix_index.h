/*
 * prefix_index.h
 *		Inverted lists of the records' indexing prefixes.
 */
#ifndef NEARDUP_KERNEL_PREFIX_INDEX_H
#define NEARDUP_KERNEL_PREFIX_INDEX_H

#include "kernel/filters/join_spec.h"

/* A token of an indexing prefix. */
typedef struct Posting
{
	uint32 record;
	uint32 position; /* from 0 */
	uint32 size_class;
} Posting;

/* List w is postings[starts[w]] to postings[starts[w + 1]], in the order of records. */
typedef struct PrefixIndex
{
	uint64 *starts;
	Posting *postings;
} PrefixIndex;

/*
 * In an R-S join each side looks up the other's index; in an asymmetric one
 * only the right side has one.
 */
typedef struct PrefixIndexes
{
	PrefixIndex sides[2]; /* left and right records; equal in a self-join */
	uint64 posting_count;
} PrefixIndexes;

extern void PrefixIndexBuild(PrefixIndexes *indexes, const JoinSpec *spec);
extern void PrefixIndexFree(PrefixIndexes *indexes, const JoinSpec *spec);

#endif
