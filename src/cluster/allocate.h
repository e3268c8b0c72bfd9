/*
 * allocate.h
 *		Arrays with one element for each number.
 */
#ifndef NEARDUP_CLUSTER_ALLOCATE_H
#define NEARDUP_CLUSTER_ALLOCATE_H

#include "storage/shmem.h"
#include "utils/memutils.h"

/*
 * Room for so many elements of so many bytes, at least for one, in the current
 * memory context; to be freed by pfree. May exceed 1 GB.
 */
static inline void *
ClusterAllocate(Size count, Size size)
{
	return MemoryContextAllocHuge(CurrentMemoryContext, mul_size(Max(count, 1), size));
}

#endif
