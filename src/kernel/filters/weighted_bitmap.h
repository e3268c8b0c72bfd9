/*
 * weighted_bitmap.h
 *		The bitmap filter of weighted joins: drops pairs whose signatures differ in too many bits.
 *
 * It is the bitmap filter (bitmap_filter.h) with several bits for a heavy token. A token of weight
 * w toggles ⌊w / c⌋ bits of a signature, where c is the unit. Common tokens toggle the same bits in
 * both signatures. A token of one set only leaves at most ⌊w / c⌋ one bits in their XOR, and adds w
 * >= c ⌊w / c⌋ to the weight that the sets do not have in common. So
 *
 *		c · popcount(s(x) ^ s(y)) <= w(x) + w(y) - 2 w(x ∩ y) <= w(x) + w(y) - 2α
 *
 * and no similar pair is dropped. For example, let c be 3. Tokens of weights 10, 4 and 2 toggle 3,
 * 1 and no bits. Sets that differ in just these tokens differ by a weight of 16, and their
 * signatures in at most 4 bits, since 3 * 4 <= 16. Weights are the measure's terms: squares under
 * cosine.
 */
#ifndef NEARDUP_KERNEL_WEIGHTED_BITMAP_H
#define NEARDUP_KERNEL_WEIGHTED_BITMAP_H

#include "kernel/filters/signature_scan.h"
#include "kernel/records/records.h"
#include "measure/weight_bounds.h"

typedef struct WeightedBitmap
{
	int64 unit;	   /* c */
	uint32 words;  /* how many words a signature has */
	double excess; /* of unrelated signatures over the bound, in standard deviations */
} WeightedBitmap;

/* Chooses unit and width for canonical records. */
extern WeightedBitmap WeightedBitmapOf(const JoinRecords *records, const WeightBounds *bounds);

/* Toggles the bits of a canonical record's tokens. */
extern void WeightedBitmapAdd(const WeightedBitmap *bitmap, const SignatureScan *scan,
							  const JoinRecords *records, const uint32 *tokens, uint32 count,
							  uint64 *signature);

/*
 * Returns a bound of the distance for a set of extent x and any similar one of an extent up to y,
 * where y is at most x. It fits 32 bits, since the unit is no small part of the greatest weight.
 */
static inline int64
WeightedBitmapDistance(const WeightedBitmap *bitmap, const WeightBounds *bounds, double x, double y)
{
	return (int64) (WeightDifference(bounds, x, y) / (double) bitmap->unit);
}

#endif
