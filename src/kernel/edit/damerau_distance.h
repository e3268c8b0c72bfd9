/*
 * damerau_distance.h
 *		Damerau-Levenshtein distance: insertions, deletions, substitutions and transpositions.
 */
#ifndef NEARDUP_KERNEL_DAMERAU_DISTANCE_H
#define NEARDUP_KERNEL_DAMERAU_DISTANCE_H

#include "kernel/host.h"

/* Returns the distance. It takes the least memory if y is the shorter text. */
extern uint32 DamerauDistance(JoinHost *host, const uint32 *x, uint32 x_length, const uint32 *y,
							  uint32 y_length);

#endif
