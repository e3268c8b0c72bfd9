/*
 * union_find.c
 *		The arrays of union-find.
 */
#include "postgres.h"

#include "storage/shmem.h"
#include "utils/memutils.h"

#include "cluster/union_find.h"

void
UnionFindInit(UnionFind *sets, uint32 capacity)
{
	sets->count = 0;
	sets->capacity = Max(capacity, 16);
	sets->parent =
		MemoryContextAllocHuge(CurrentMemoryContext, mul_size(sets->capacity, sizeof(uint32)));
	sets->size =
		MemoryContextAllocHuge(CurrentMemoryContext, mul_size(sets->capacity, sizeof(uint32)));
}

void
UnionFindAdd(UnionFind *sets)
{
	if (sets->count == sets->capacity)
	{
		sets->capacity *= 2;
		sets->parent = repalloc_huge(sets->parent, mul_size(sets->capacity, sizeof(uint32)));
		sets->size = repalloc_huge(sets->size, mul_size(sets->capacity, sizeof(uint32)));
	}
	sets->parent[sets->count] = sets->count;
	sets->size[sets->count] = 1;
	sets->count++;
}

void
UnionFindFree(UnionFind *sets)
{
	pfree(sets->parent);
	pfree(sets->size);
}
