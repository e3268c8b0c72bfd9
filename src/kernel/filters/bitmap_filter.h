/*
 * bitmap_filter.h
 *		The bitmap filter: signatures that differ in too many bits.
 *
 * Each token of a set toggles a bit of its signature, and common tokens the same bits:
 *
 * 		popcount(s(x) ^ s(y)) <= |x| + |y| - 2 |x ∩ y| <= |x| + |y| - 2α
 */
#ifndef NEARDUP_KERNEL_BITMAP_FILTER_H
#define NEARDUP_KERNEL_BITMAP_FILTER_H

#include "kernel/filters/least_overlap.h"

#define SIGNATURE_BITS_PER_WORD 64
#define SIGNATURE_MAX_WORDS 8

#define SIGNATURE_MULTIPLIER UINT32_C(2654435761)

/* Multiplication spreads neighbouring ranks. */
static inline uint32
SignatureBit(uint32 token, uint32 words)
{
	return ((uint64) (token * SIGNATURE_MULTIPLIER) * (SIGNATURE_BITS_PER_WORD * words)) >> 32;
}

static inline void
SignatureToggle(uint64 *signature, uint32 bit)
{
	signature[bit / SIGNATURE_BITS_PER_WORD] ^= UINT64CONST(1) << (bit % SIGNATURE_BITS_PER_WORD);
}

static inline int64
BitmapFilterDistance(int64 x_size, int64 y_size, int64 least_overlap)
{
	return x_size + y_size - 2 * least_overlap;
}

/* For sizes a and up to b: a + b - 2α grows with b, but for the rounding of α. */
static inline int64
BitmapFilterDistanceUpTo(const LeastOverlaps *overlaps, int64 a, int64 b)
{
	return BitmapFilterDistance(a, b, LeastOverlap(overlaps, a, b)) + 2;
}

/* Least width at which unrelated sets exceed the bound clearly; else the greatest. */
extern uint32 BitmapFilterWords(Predicate predicate, double mean_size);

/* Mean excess of unrelated signatures of so many tokens over a bound, in standard deviations. */
extern double BitmapFilterExcess(double size, double allowed, uint32 words);

/* Share of unrelated pairs that pass. */
extern double BitmapFilterPassing(Predicate predicate, double mean_size, uint32 words);

#endif
