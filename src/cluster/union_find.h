/*
 * union_find.h
 *		Disjoint sets of numbers: union by size, find with path halving.
 */
#ifndef NEARDUP_CLUSTER_UNION_FIND_H
#define NEARDUP_CLUSTER_UNION_FIND_H

/* Eight bytes for each number, in the memory context of UnionFindInit. */
typedef struct UnionFind
{
	uint32 *parent;
	uint32 *size; /* of the set, at its root */
	uint32 count;
	uint32 capacity;
} UnionFind;

/* No numbers yet; room for so many. */
extern void UnionFindInit(UnionFind *sets, uint32 capacity);

/* The number sets->count, by itself. */
extern void UnionFindAdd(UnionFind *sets);

extern void UnionFindFree(UnionFind *sets);

/*
 * Sets first[i], for the numbers in this order (NULL: ascending), to the place in it of
 * the first number of the set of the number at place i. Can be cancelled. Takes four
 * bytes for each number meanwhile.
 */
extern void UnionFindFirsts(UnionFind *sets, const uint32 *order, uint32 *first);

/* The root of the set of a number. Halves the path that it walks. */
static inline uint32
UnionFindRoot(UnionFind *sets, uint32 number)
{
	uint32 *parent = sets->parent;

	while (parent[number] != number)
	{
		parent[number] = parent[parent[number]];
		number = parent[number];
	}
	return number;
}

/* Unites the sets of two roots, which differ. Returns the root of the union. */
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
