/*
 * hamming_join.h
 *		The join of 64-bit values that differ in few bits.
 */
#ifndef NEARDUP_KERNEL_HAMMING_JOIN_H
#define NEARDUP_KERNEL_HAMMING_JOIN_H

#include "kernel/hamming/hamming_values.h"

/* Row, place in the sort and group, in arrays that grow by doubling. */
#define HAMMING_BYTES_PER_VALUE 80

/* Nanoseconds for random values, `left` of which are compared with all. */
extern double HammingJoinCost(double left, double count, int distance);

/*
 * Emits each pair within the distance once, with one row before first_right and one from there on.
 * Rows of one key, by order (hamming_groups.h), are not paired.
 */
extern void HammingJoin(const HammingValues *values, const int64 *order, uint32 first_right,
						int distance, EmitHammingPair emit, void *context);

#endif
