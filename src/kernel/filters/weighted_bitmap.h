/*
 * weighted_bitmap.h
 *		The bitmap filter (bitmap_filter.h) of weighted joins.
 *
 * A token of weight w toggles ⌊w / c⌋ bits, so that sets differ by at least c for each bit in which
 * their signatures do:
 *
 *		c · popcount(s(x) ^ s(y)) <= w(x) + w(y) - 2 w(x ∩ y) <= w(x) + w(y) - 2α
 */
#ifndef NEARDUP_KERNEL_WEIGHTED_BITMAP_H
#define NEARDUP_KERNEL_WEIGHTED_BITMAP_H

#include "kernel/filters/signature_scan.h"
#include "kernel/records/records.h"
#include "measure/weight_bounds.h"

typedef struct WeightedBitmap
{
	int64 unit;	  /* c, of the measure's terms */
	uint32 words; /* of a signature */
} WeightedBitmap;

/* Chosen by a sample of the canonical records. */
extern WeightedBitmap WeightedBitmapOf(const JoinRecords *records, const WeightBounds *bounds);

extern void WeightedBitmapAdd(const WeightedBitmap *bitmap, const SignatureScan *scan,
							  const JoinRecords *records, const uint32 *tokens, uint32 count,
							  uint64 *signature);

/* For extents x and up to y. Fits 32 bits: the unit is a part of the greatest weight. */
static inline int64
WeightedBitmapDistance(const WeightedBitmap *bitmap, const WeightBounds *bounds, double x, double y)
{
	return (int64) (WeightDifference(bounds, x, y) / (double) bitmap->unit);
}

#endif
