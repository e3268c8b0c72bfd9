/*
 * edit_distance.h
 *		The Levenshtein distance, with a limit: insertions, deletions and substitutions.
 */
#ifndef NEARDUP_KERNEL_EDIT_DISTANCE_H
#define NEARDUP_KERNEL_EDIT_DISTANCE_H

#include "kernel/host.h"

#define EDIT_BLOCK_ROWS 64
#define EDIT_BLOCK_SLOTS (2 * EDIT_BLOCK_ROWS)

/* 64 characters of a pattern, and their rows of the present column of the matrix. */
typedef struct EditBlock
{
	/* A hash table: the rows that have a character. A mask of 0 is a free slot. */
	uint32 characters[EDIT_BLOCK_SLOTS];
	uint64 masks[EDIT_BLOCK_SLOTS];
	/* The rows that are 1 more than the row above, and those that are 1 less. */
	uint64 increases;
	uint64 decreases;
} EditBlock;

/* A text that is prepared to be compared with others. */
typedef struct EditPattern
{
	JoinHost *host;
	const uint32 *characters; /* the caller's */
	uint32 length;
	EditBlock *blocks;
	Size block_capacity;
} EditPattern;

extern void EditPatternInit(EditPattern *pattern, JoinHost *host);

/* Prepares a text, which must stay in place. */
extern void EditPatternSet(EditPattern *pattern, const uint32 *characters, uint32 length);

/*
 * Returns the distance of the pattern and a text that is no longer, or PG_UINT32_MAX if it is above
 * the limit.
 */
extern uint32 EditDistanceWithin(EditPattern *pattern, const uint32 *characters, uint32 length,
								 uint32 limit);

extern void EditPatternFree(EditPattern *pattern);

#endif
