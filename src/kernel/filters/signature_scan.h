/*
 * signature_scan.h
 *		Making and scanning signatures (bitmap_filter.h).
 */
#ifndef NEARDUP_KERNEL_SIGNATURE_SCAN_H
#define NEARDUP_KERNEL_SIGNATURE_SCAN_H

#include "port/pg_bitutils.h"

#include "kernel/filters/bitmap_filter.h"

/* Word w of signature i is planes[w][i], so that neighbours fill a register. */
typedef struct SignaturePlanes
{
	uint32 words;
	uint64 *planes[SIGNATURE_MAX_WORDS];
} SignaturePlanes;

static inline uint32
SignatureDistance(const SignaturePlanes *signatures, uint32 i, uint32 j)
{
	uint32 distance = 0;

	for (uint32 w = 0; w < signatures->words; w++)
		distance += pg_popcount64(signatures->planes[w][i] ^ signatures->planes[w][j]);
	return distance;
}

typedef struct SignatureScan
{
	/* Toggles the tokens' bits; words is a power of two. */
	void (*add)(uint64 *signature, uint32 words, const uint32 *tokens, uint32 count);

	/* Finds near signatures in first .. end - 1, ascending; returns their number. */
	uint32 (*one)(const SignaturePlanes *signatures, uint32 x, uint32 first, uint32 end,
				  uint32 greatest_distance, uint32 *near, uint32 *distances);

	/*
	 * Compares several x with at most eight; distances may be negative. Bit i of near is for
	 * first + i. Returns whether any is near.
	 */
	bool (*many)(const SignaturePlanes *signatures, uint32 x_first, uint32 x_end, uint32 first,
				 uint32 end, const int32 *greatest_distances, uint8 *near);

	bool (*are_near)(const uint64 *x, const uint64 *y, uint32 words, int64 greatest_distance);
} SignatureScan;

#define SIGNATURE_LANES 8

extern SignatureScan SignatureScanBest(void);

/* Portable first; returns their number. */
#define SIGNATURE_SCANS 3
extern int SignatureScansAvailable(SignatureScan *scans);

#endif
