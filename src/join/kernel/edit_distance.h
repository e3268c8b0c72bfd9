/*
 * edit_distance.h
 *		Levenshtein distance with a limit.
 *
 * The least number of insertions, deletions and substitutions of characters
 * that make one text the other.
 */
#ifndef NEARDUP_JOIN_EDIT_DISTANCE_H
#define NEARDUP_JOIN_EDIT_DISTANCE_H

#include "join/kernel/host.h"

#define EDIT_BLOCK_ROWS 64
#define EDIT_BLOCK_SLOTS (2 * EDIT_BLOCK_ROWS)

/* 64 characters of a pattern, and their rows of the present column of the matrix. */
typedef struct EditBlock
{
	/* Where each character stands: open addressing, linear probing; a mask of 0 is a free slot. */
	uint32 characters[EDIT_BLOCK_SLOTS];
	uint64 masks[EDIT_BLOCK_SLOTS];
	/* The rows that are 1 more, and 1 less, than the row above. */
	uint64 increases;
	uint64 decreases;
} EditBlock;

/* A text prepared to be compared with others. */
typedef struct EditPattern
{
	JoinHost *host;
	const uint32 *characters; /* the caller's */
	uint32 length;
	EditBlock *blocks;
	Size block_capacity;
} EditPattern;

extern void EditPatternInit(EditPattern *pattern, JoinHost *host);

/* The text must stay where it is while it is compared. */
extern void EditPatternSet(EditPattern *pattern, const uint32 *characters, uint32 length);

/*
 * The distance between the pattern and a text that is no longer than it, or
 * PG_UINT32_MAX where it is greater than the limit.
 */
extern uint32 EditDistanceWithin(EditPattern *pattern, const uint32 *characters, uint32 length,
								 uint32 limit);

extern void EditPatternFree(EditPattern *pattern);

#endif
