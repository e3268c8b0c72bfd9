/*
 * bitmap_filter.h
 *		The bitmap filter: signatures that differ in too many bits.
 *
 * Each token of a set toggles a bit of its signature. Common tokens toggle the
 * same bits, so signatures differ in at most as many bits as the sets in
 * tokens:
 *
 * 		popcount(s(x) ^ s(y)) <= |x| + |y| - 2 |x ∩ y| <= |x| + |y| - 2α
 *
 * Unrelated sets differ in about B/2 (1 - e^(-2 (|x| + |y|) / B)) of B bits; B
 * is chosen so that this is clearly more.
 */
#ifndef NEARDUP_KERNEL_BITMAP_FILTER_H
#define NEARDUP_KERNEL_BITMAP_FILTER_H

#include "kernel/filters/least_overlap.h"

#define SIGNATURE_BITS_PER_WORD 64
#define SIGNATURE_MAX_WORDS 8

#define SIGNATURE_MULTIPLIER UINT32_C(2654435761)

/* Tokens are ranks: multiplication spreads neighbours. */
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

/*
 * A bound for a set of size a with any up to size b. α is rounded up; but for
 * that, a + b - 2α does not fall.
 */
static inline int64
BitmapFilterDistanceUpTo(const LeastOverlaps *overlaps, int64 a, int64 b)
{
	return BitmapFilterDistance(a, b, LeastOverlap(overlaps, a, b)) + 2;
}

/* Words for which unrelated sets differ clearly; else the most. */
extern uint32 BitmapFilterWords(Predicate predicate, double mean_size);

/* The share of unrelated pairs that pass. */
extern double BitmapFilterPassing(Predicate predicate, double mean_size, uint32 words);

#endif
