/*
 * edit_distance.h
 *		Levenshtein distance with a limit: insertions, deletions and substitutions.
 */
#ifndef NEARDUP_KERNEL_EDIT_DISTANCE_H
#define NEARDUP_KERNEL_EDIT_DISTANCE_H

#include "kernel/host.h"

#define EDIT_BLOCK_ROWS 64
#define EDIT_BLOCK_SLOTS (2 * EDIT_BLOCK_ROWS)

/* 64 characters of a pattern, and their rows of a column. */
typedef struct EditBlock
{
	/* A mask of 0 is a free slot. */
	uint32 characters[EDIT_BLOCK_SLOTS];
	uint64 masks[EDIT_BLOCK_SLOTS];
	/* Rows 1 more, and 1 less, than the row above. */
	uint64 increases;
	uint64 decreases;
} EditBlock;

/* A text prepared for comparisons. */
typedef struct EditPattern
{
	JoinHost *host;
	const uint32 *characters; /* the caller's */
	uint32 length;
	EditBlock *blocks;
	Size block_capacity;
} EditPattern;

extern void EditPatternInit(EditPattern *pattern, JoinHost *host);

extern void EditPatternSet(EditPattern *pattern, const uint32 *characters, uint32 length);

/* The text is no longer than the pattern. PG_UINT32_MAX above the limit. */
extern uint32 EditDistanceWithin(EditPattern *pattern, const uint32 *characters, uint32 length,
								 uint32 limit);

extern void EditPatternFree(EditPattern *pattern);

#endif
