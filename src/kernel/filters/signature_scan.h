/*
 * signature_scan.h
 *		Makes signatures (bitmap_filter.h) and finds near ones.
 */
#ifndef NEARDUP_KERNEL_SIGNATURE_SCAN_H
#define NEARDUP_KERNEL_SIGNATURE_SCAN_H

#include "port/pg_bitutils.h"

#include "kernel/filters/bitmap_filter.h"

/*
 * Many signatures, word by word: word w of signature i is planes[w][i]. So the same word of
 * neighbouring signatures fills a vector register.
 */
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

/* The functions of one kind of processor. */
typedef struct SignatureScan
{
	/* Toggles the tokens' bits; `words`, the signature's length, is a power of two. */
	void (*add)(uint64 *signature, uint32 words, const uint32 *tokens, uint32 count);

	/*
	 * Compares signature x with first .. end - 1. Writes those within the distance, ascending, and
	 * their distances; returns their number. The arrays have room for all.
	 */
	uint32 (*one)(const SignaturePlanes *signatures, uint32 x, uint32 first, uint32 end,
				  uint32 greatest_distance, uint32 *near, uint32 *distances);

	/*
	 * Compares each signature x of x_first .. x_end - 1 with first .. end - 1, at most
	 * SIGNATURE_LANES. x has a distance of its own, greatest_distances[x - x_first]; nothing is
	 * within a negative one. Bit i of near[x - x_first] says whether first + i is within it.
	 * Returns whether any is.
	 */
	bool (*many)(const SignaturePlanes *signatures, uint32 x_first, uint32 x_end, uint32 first,
				 uint32 end, const int32 *greatest_distances, uint8 *near);

	/* Returns whether two signatures are within the distance. */
	bool (*are_near)(const uint64 *x, const uint64 *y, uint32 words, int64 greatest_distance);
} SignatureScan;

#define SIGNATURE_LANES 8

/* Returns the fastest functions that this processor can run. */
extern SignatureScan SignatureScanBest(void);

/*
 * Writes all that this processor can run, the portable ones first and the fastest last, and returns
 * their number, at most SIGNATURE_SCANS.
 */
#define SIGNATURE_SCANS 3
extern int SignatureScansAvailable(SignatureScan *scans);

#endif
