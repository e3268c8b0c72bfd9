/*
 * bitmap_filter.h
 *		The bitmap filter: drops pairs whose signatures differ in too many bits.
 *
 * The signature s(x) of a set x is a short bit string, zero at first; each token of x toggles one
 * bit, which a hash of the token chooses. A common token toggles the same bit in s(x) and s(y), and
 * drops out of s(x) ^ s(y). Only the |x| + |y| - 2 |x ∩ y| other tokens can leave one bits there,
 * each at most one. Similar sets have at least α common tokens, so
 *
 * 		popcount(s(x) ^ s(y)) <= |x| + |y| - 2 |x ∩ y| <= |x| + |y| - 2α
 *
 * and no similar pair is dropped. For example, sets of 10 tokens at Jaccard 0.8 need α = 9, and
 * their signatures differ in at most 2 bits. Unrelated sets of 10 tokens toggle 20 bits, most of
 * them different ones. The paper does not have this filter.
 */
#ifndef NEARDUP_KERNEL_BITMAP_FILTER_H
#define NEARDUP_KERNEL_BITMAP_FILTER_H

#include "kernel/filters/least_overlap.h"

#define SIGNATURE_BITS_PER_WORD 64
#define SIGNATURE_MAX_WORDS 8

#define SIGNATURE_MULTIPLIER UINT32_C(2654435761)

/*
 * Returns the bit that a token toggles in a signature of this many words, a power of two. The
 * multiplication spreads neighbouring ranks over all bits.
 */
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

/* Returns the number of bits in which the signatures of similar sets differ at most. */
static inline int64
BitmapFilterDistance(int64 x_size, int64 y_size, int64 least_overlap)
{
	return x_size + y_size - 2 * least_overlap;
}

/*
 * Returns a bound for a set of size a and any similar one of a size up to b, where b is at most a.
 * Without rounding, a + b - 2α grows with b; rounding raises α by less than 1, and the bound by 2.
 */
static inline int64
BitmapFilterDistanceUpTo(const LeastOverlaps *overlaps, int64 a, int64 b)
{
	return BitmapFilterDistance(a, b, LeastOverlap(overlaps, a, b)) + 2;
}

/*
 * Returns the width of signatures in words, a power of two: the least width with which unrelated
 * sets of the mean size clearly exceed the bound, or SIGNATURE_MAX_WORDS if none does.
 */
extern uint32 BitmapFilterWords(Predicate predicate, double mean_size);

/*
 * Returns by how many standard deviations the distance of unrelated signatures, of `size` tokens
 * each, exceeds `allowed` bits on average.
 */
extern double BitmapFilterExcess(double size, double allowed, uint32 words);

/* Estimates the share of unrelated pairs, of sets of the mean size, that pass the filter. */
extern double BitmapFilterPassing(Predicate predicate, double mean_size, uint32 words);

#endif
