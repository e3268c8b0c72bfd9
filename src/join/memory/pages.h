/*
 * pages.h
 *		Allocates the large arrays of a join on pages of their own, outside of malloc's heap.
 */
#ifndef NEARDUP_JOIN_PAGES_H
#define NEARDUP_JOIN_PAGES_H

typedef struct JoinPages JoinPages;

#ifndef NEARDUP_NO_PAGES

/* Begins the allocation of a join's arrays. Those that are not released go with the context. */
extern JoinPages *JoinPagesBegin(MemoryContext context);

/*
 * Returns an array of any content, aligned to a cache line. Raises out_of_memory if the system has
 * no more pages; so does JoinPagesResize.
 */
extern void *JoinPagesAllocate(JoinPages *pages, Size size);

/* Returns the array with more bytes or fewer, perhaps elsewhere. */
extern void *JoinPagesResize(JoinPages *pages, void *array, Size size);

/* Releases an array. Its pages may be kept for later ones. */
extern void JoinPagesRelease(JoinPages *pages, void *array);

/* Gives kept pages back. Called where a phase ends after which arrays are smaller. */
extern void JoinPagesGiveBack(JoinPages *pages);

#else

/* Built with PAGES=no, large arrays are chunks of the memory context, as small ones are. */

static inline JoinPages *
JoinPagesBegin(MemoryContext context)
{
	return (JoinPages *) context;
}

static inline void *
JoinPagesAllocate(JoinPages *pages, Size size)
{
	return MemoryContextAllocHuge((MemoryContext) pages, size);
}

static inline void *
JoinPagesResize(JoinPages *pages, void *array, Size size)
{
	return repalloc_huge(array, size);
}

static inline void
JoinPagesRelease(JoinPages *pages, void *array)
{
	pfree(array);
}

static inline void
JoinPagesGiveBack(JoinPages *pages)
{
}

#endif

#endif
