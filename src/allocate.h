/*
 * allocate.h
 *		Allocation of arrays that may exceed 1 GB.
 */
#ifndef NEARDUP_ALLOCATE_H
#define NEARDUP_ALLOCATE_H

#include "storage/shmem.h"
#include "utils/memutils.h"

/*
 * Returns an array of `count` elements, or of one if there are none, of `size` bytes each, in the
 * current memory context. Its content is undefined. A size that overflows raises
 * program_limit_exceeded.
 */
static inline void *
AllocateArray(Size count, Size size)
{
	return MemoryContextAllocHuge(CurrentMemoryContext, mul_size(Max(count, 1), size));
}

#endif
