/*
 * pages.h
 *		Large arrays of a join on pages of their own, outside of malloc's heap.
 */
#ifndef NEARDUP_JOIN_PAGES_H
#define NEARDUP_JOIN_PAGES_H

typedef struct JoinPages JoinPages;

/* What is not released goes with the memory context. */
extern JoinPages *JoinPagesBegin(MemoryContext context);

/* Bytes of any content, at a cache line; out_of_memory where the system has no more. */
extern void *JoinPagesAllocate(JoinPages *pages, Size size);

/* The array with more bytes or fewer, maybe elsewhere. */
extern void *JoinPagesResize(JoinPages *pages, void *array, Size size);

/* Its pages are kept for other arrays, while all are no more than they were at most. */
extern void JoinPagesRelease(JoinPages *pages, void *array);

/* Gives back what is kept: where a phase ends after which arrays are smaller. */
extern void JoinPagesGiveBack(JoinPages *pages);

/* Gives back what is free in malloc's heap, all of which this looks at: once a join. */
extern void JoinHeapGiveBack(void);

#endif
