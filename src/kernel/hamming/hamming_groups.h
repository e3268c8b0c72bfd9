/*
 * hamming_groups.h
 *		Rows of equal value, joined as one and expanded when emitted.
 */
#ifndef NEARDUP_KERNEL_HAMMING_GROUPS_H
#define NEARDUP_KERNEL_HAMMING_GROUPS_H

#include "kernel/hamming/hamming_values.h"

typedef struct HammingGroups
{
	JoinHost *host;
	EmitHammingPair emit;
	void *context;
	const int64 *order; /* place of the key, by row; NULL if keys are not compared */
	uint32 first_right;

	/* Groups with rows on the left come first, as do these in a group. */
	uint32 count;
	uint32 left_count; /* groups with such rows */
	uint64 *values;	   /* by group; a join may move them */
	uint32 *starts;	   /* by group, in rows; then row_count */
	uint32 *rights;	   /* by group, first on the right, or its end */
	uint32 *rows;
	uint32 row_count;
} HammingGroups;

/* host, emit, context, order and first_right are set. */
extern void HammingGroupsInit(HammingGroups *groups, const HammingValues *values);
extern void HammingGroupsFree(HammingGroups *groups);

/* Pairs of rows of two groups. */
extern void HammingGroupsEmit(const HammingGroups *groups, uint32 a, uint32 b, int distance);

extern void HammingGroupsEmitEqual(const HammingGroups *groups);

#endif
