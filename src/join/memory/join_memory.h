/*
 * join_memory.h
 *		How much memory a function may take for its join.
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

/* Gives back what is free in malloc's heap. It looks at all of the heap: called once a join. */
extern void JoinHeapGiveBack(void);

#endif
