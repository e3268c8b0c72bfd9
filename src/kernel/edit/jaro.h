/*
 * jaro.h
 *		The Jaro and Jaro-Winkler similarity of short texts, such as names.
 */
#ifndef NEARDUP_KERNEL_JARO_H
#define NEARDUP_KERNEL_JARO_H

#include "kernel/host.h"

/* Returns 1 for equal texts, two empty ones included, and 0 for texts without common characters. */
extern double JaroSimilarity(JoinHost *host, const uint32 *x, uint32 x_length, const uint32 *y,
							 uint32 y_length);

/* Returns Jaro's similarity; above 0.7, raised by a common prefix of up to four characters. */
extern double JaroWinklerSimilarity(JoinHost *host, const uint32 *x, uint32 x_length,
									const uint32 *y, uint32 y_length);

#endif
