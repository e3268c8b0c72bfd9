/*
 * pages.h
 *		Large arrays of a join on pages of their own, outside of malloc's heap.
 */
#ifndef NEARDUP_JOIN_PAGES_H
#define NEARDUP_JOIN_PAGES_H

/* What is not released goes with the memory context. */
typedef struct JoinPages JoinPages;

extern JoinPages *JoinPagesBegin(MemoryContext context);

/* Bytes at a line of the caches, of any content; out_of_memory where the system has no more. */
extern void *JoinPagesAllocate(JoinPages *pages, Size size);

/* The array with more bytes or fewer, maybe elsewhere. */
extern void *JoinPagesResize(JoinPages *pages, void *array, Size size);

/* Of so many bytes that an array which grew has beyond its content, those that took no memory. */
extern Size JoinPagesNotProvided(Size bytes);

/* Its pages are kept for other arrays, as long as all are no more than they were at most. */
extern void JoinPagesRelease(JoinPages *pages, void *array);

/* The operating system gets what is kept: where a phase ends after which there will be less. */
extern void JoinPagesGiveBack(JoinPages *pages);

/*
 * It gets what is free in malloc's heap. This looks at all of the session's heap, so it is
 * not for every call, nor for every block.
 */
extern void JoinHeapGiveBack(void);

#endif
