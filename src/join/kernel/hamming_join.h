/*
 * hamming_join.h
 *		The join of 64-bit values that differ in few bits.
 */
#ifndef NEARDUP_JOIN_HAMMING_JOIN_H
#define NEARDUP_JOIN_HAMMING_JOIN_H

#include "join/kernel/host.h"

/* Values by row, in the memory of a host. */
typedef struct HammingValues
{
	JoinHost *host;
	uint64 *values;
	uint32 count;
	uint32 capacity;
} HammingValues;

extern void HammingValuesInit(HammingValues *values, JoinHost *host);

/* The value of row values->count; at most 2^31 rows. */
extern void HammingValuesAppend(HammingValues *values, uint64 value);
extern void HammingValuesFree(HammingValues *values);

/* Bytes that so many values and their join will take. */
extern Size HammingJoinBytes(Size count);

/* Nanoseconds, about, for so many random values, of which so many are compared with all. */
extern double HammingJoinCost(double left, double count, int distance);

/* Receives a pair of rows, in no particular order; of a join of two sides, x is on the left. */
typedef void (*EmitHammingPair)(void *context, uint32 x, uint32 y, int distance);

/* Instead of the first row on the right, in a join of all rows with each other. */
#define HAMMING_ONE_SIDE PG_UINT32_MAX

/*
 * Emits once each pair of rows whose values differ in at most so many bits, of a row before
 * first_right and one from there on.
 * With order, the places of the rows' keys, which are then in no pair with another row of their own
 * place; NULL pairs all. Beside sorting, time is spent on groups of equal value and on what is emitted.
 */
extern void HammingJoin(const HammingValues *values, const int64 *order, uint32 first_right,
						int distance, EmitHammingPair emit, void *context);

#endif
