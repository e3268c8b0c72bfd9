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

/* Appends the value of the next row; there can be 2^31. */
extern void HammingValuesAppend(HammingValues *values, uint64 value);
extern void HammingValuesFree(HammingValues *values);

/* Receives a pair of rows; x is on the left. Pairs come in no particular order. */
typedef void (*EmitHammingPair)(void *context, uint32 x, uint32 y, int distance);

/* As first_right, says that all rows are joined with each other. */
#define HAMMING_ONE_SIDE PG_UINT32_MAX

#endif
