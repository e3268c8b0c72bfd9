/*
 * hamming_join.h
 *		The join of 64-bit values that differ in few bits.
 */
#ifndef NEARDUP_KERNEL_HAMMING_JOIN_H
#define NEARDUP_KERNEL_HAMMING_JOIN_H

#include "kernel/hamming/hamming_values.h"

/* Estimate of the peak: values by row, in an array that grows by doubling; the sort; the groups. */
#define HAMMING_BYTES_PER_VALUE 80

/* Estimates the nanoseconds of a join of `count` random values, `left` of them with all. */
extern double HammingJoinCost(double left, double count, int distance);

/*
 * Emits each pair of rows within the distance once. One row is before first_right and the other
 * from there on; or first_right is HAMMING_ONE_SIDE. Rows with the same place in `order`, which
 * have one key, are not paired; `order` is NULL if keys are not compared.
 */
extern void HammingJoin(const HammingValues *values, const int64 *order, uint32 first_right,
						int distance, EmitHammingPair emit, void *context);

#endif
