/*
 * union_find.h
 *		Disjoint sets of numbers: union by size, find with path halving.
 */
#ifndef NEARDUP_CLUSTER_UNION_FIND_H
#define NEARDUP_CLUSTER_UNION_FIND_H

#include "kernel/demand/roots.h"

/* Eight bytes a number, in the memory context of UnionFindInit. */
typedef struct UnionFind
{
	uint32 *parent;
	uint32 *size; /* size of the set, right at its root */
	uint32 count;
	uint32 capacity;
} UnionFind;

/* Begins without numbers, with room for `capacity` in the current memory context. */
extern void UnionFindInit(UnionFind *sets, uint32 capacity);

/* Adds the number sets->count. */
extern void UnionFindAdd(UnionFind *sets);

extern void UnionFindFree(UnionFind *sets);

/*
 * Numbers each set by its first member. order[] lists the numbers, NULL stands for the ascending
 * order; first[i] becomes the least place in it whose number is in the set of order[i].
 */
extern void UnionFindFirsts(UnionFind *sets, const uint32 *order, uint32 *first);

static inline uint32
UnionFindRoot(UnionFind *sets, uint32 number)
{
	return RootOf(sets->parent, number);
}

/* Unites the sets of two different roots; returns the new root. */
static inline uint32
UnionFindUnite(UnionFind *sets, uint32 a, uint32 b)
{
	if (sets->size[a] < sets->size[b])
	{
		uint32 swap = a;

		a = b;
		b = swap;
	}
	sets->parent[b] = a;
	sets->size[a] += sets->size[b];
	return a;
}

#endif
