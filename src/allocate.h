/*
 * allocate.h
 *		Allocation of arrays that may exceed 1 GB.
 */
#ifndef NEARDUP_ALLOCATE_H
#define NEARDUP_ALLOCATE_H

#include "storage/shmem.h"
#include "utils/memutils.h"

/* At least one element, in the current memory context. */
static inline void *
AllocateArray(Size count, Size size)
{
	return MemoryContextAllocHuge(CurrentMemoryContext, mul_size(Max(count, 1), size));
}

#endif
