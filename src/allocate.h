/*
 * allocate.h
 *		Arrays that may exceed 1 GB, and that grow.
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

/* Returns the array with another capacity; NULL is an array that has none yet. */
static inline void *
ResizeArray(void *array, Size capacity, Size size)
{
	if (array == NULL)
		return AllocateArray(capacity, size);
	return repalloc_huge(array, mul_size(capacity, size));
}

/*
 * Ensures room for one more element: doubles the array when it is full. It begins as NULL, with a
 * capacity of 0, and is then allocated in the current memory context.
 */
#define ARRAY_MAKE_ROOM(array, count, capacity)                                                    \
	do                                                                                             \
	{                                                                                              \
		if ((count) == (capacity))                                                                 \
		{                                                                                          \
			(capacity) = Max((capacity) *2, 16);                                                   \
			(array) = ResizeArray(array, capacity, sizeof(*(array)));                              \
		}                                                                                          \
	} while (0)

#endif
