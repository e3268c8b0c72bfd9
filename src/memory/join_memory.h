/*
 * join_memory.h
 *		How much memory a function may take for its join, and what malloc's heap keeps of it.
 */
#ifndef NEARDUP_JOIN_JOIN_MEMORY_H
#define NEARDUP_JOIN_JOIN_MEMORY_H

/*
 * Returns the bytes that the rows of a join may take, leader and workers together, as
 * neardup.join_memory says. A join of the planner's node takes the memory of a hash table instead.
 */
extern Size JoinMemory(void);

/*
 * Returns the kilobytes in which a function sorts keys or pairs beside its join: half of
 * JoinMemory().
 */
extern int JoinSortMemory(void);

/* Sets malloc's thresholds for a join in memory: its arrays come from the heap, which keeps their pages. */
extern void JoinHeapForMemory(void);

/*
 * Sets malloc's thresholds for a join from files that may take this many bytes: its large arrays are
 * mapped. What is free in the heap is given back, for which malloc looks at all of it: called once a
 * join.
 */
extern void JoinHeapForFiles(Size memory);

#endif
