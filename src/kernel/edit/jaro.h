/*
 * jaro.h
 *		Jaro and Jaro-Winkler similarity of short texts, such as names.
 */
#ifndef NEARDUP_KERNEL_JARO_H
#define NEARDUP_KERNEL_JARO_H

#include "kernel/host.h"

/* 1 for equal texts, the empty ones included; 0 without common characters. */
extern double JaroSimilarity(JoinHost *host, const uint32 *x, uint32 x_length, const uint32 *y,
							 uint32 y_length);

/* Raised by the common prefix of up to four characters, above 0.7. */
extern double JaroWinklerSimilarity(JoinHost *host, const uint32 *x, uint32 x_length,
									const uint32 *y, uint32 y_length);

#endif
