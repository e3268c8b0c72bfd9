/*
 * hamming_groups.h
 *		Groups of rows with equal values, which are joined as one and expanded when emitted.
 */
#ifndef NEARDUP_KERNEL_HAMMING_GROUPS_H
#define NEARDUP_KERNEL_HAMMING_GROUPS_H

#include "kernel/hamming/hamming_values.h"

typedef struct HammingGroups
{
	JoinHost *host;
	EmitHammingPair emit;
	void *context;
	const int64 *order; /* for each row the place of its key; NULL if keys are not compared */
	uint32 first_right;

	/* Groups with rows on the left come first; in a group, rows on the left do. */
	uint32 count;
	uint32 left_count; /* groups with rows on the left */
	uint64 *values;	   /* the value of each group; a join may reorder them */
	uint32 *starts;	   /* for each group its first place in `rows`; row_count comes last */
	uint32 *rights;	   /* for each group its first place of the right side, or where it ends */
	uint32 *rows;
	uint32 row_count;
} HammingGroups;

/* Groups the values' rows. The caller has set host, emit, context, order and first_right. */
extern void HammingGroupsInit(HammingGroups *groups, const HammingValues *values);
extern void HammingGroupsFree(HammingGroups *groups);

/* Emits the pairs of two groups' rows. */
extern void HammingGroupsEmit(const HammingGroups *groups, uint32 a, uint32 b, int distance);

/* Emits the pairs of rows with equal values. */
extern void HammingGroupsEmitEqual(const HammingGroups *groups);

#endif
