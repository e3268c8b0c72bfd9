/*
 * hamming_values.h
 *		The 64-bit values of a join, by row.
 */
#ifndef NEARDUP_KERNEL_HAMMING_VALUES_H
#define NEARDUP_KERNEL_HAMMING_VALUES_H

#include "kernel/host.h"

#define HAMMING_BITS 64

typedef struct HammingValues
{
	JoinHost *host;
	uint64 *values;
	uint32 count;
	uint32 capacity;
} HammingValues;

#define HAMMING_INITIAL_VALUES 64

extern void HammingValuesInit(HammingValues *values, JoinHost *host);

/* At most 2^31 rows. */
extern void HammingValuesAppend(HammingValues *values, uint64 value);
extern void HammingValuesFree(HammingValues *values);

/* In no particular order; x is on the left. */
typedef void (*EmitHammingPair)(void *context, uint32 x, uint32 y, int distance);

/* For first_right: all rows are joined with each other. */
#define HAMMING_ONE_SIDE PG_UINT32_MAX

#endif
