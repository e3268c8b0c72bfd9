/*
 * union_find.c
 *		The arrays of union-find.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/shmem.h"
#include "utils/memutils.h"

#include "allocate.h"
#include "cluster/union_find.h"

void
UnionFindInit(UnionFind *sets, uint32 capacity)
{
	sets->count = 0;
	sets->capacity = Max(capacity, 16);
	sets->parent = AllocateArray(sets->capacity, sizeof(uint32));
	sets->size = AllocateArray(sets->capacity, sizeof(uint32));
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
UnionFindFirsts(UnionFind *sets, const uint32 *order, uint32 *first)
{
	uint32 *first_of_root = AllocateArray(sets->count, sizeof(uint32));

	memset(first_of_root, 0xFF, sets->count * sizeof(uint32));
	for (uint32 place = 0; place < sets->count; place++)
	{
		uint32 root = UnionFindRoot(sets, order != NULL ? order[place] : place);

		CHECK_FOR_INTERRUPTS();
		first_of_root[root] = Min(first_of_root[root], place);
		first[place] = first_of_root[root];
	}
	pfree(first_of_root);
}

void
UnionFindFree(UnionFind *sets)
{
	pfree(sets->parent);
	pfree(sets->size);
}
