/*
 * signature.h
 *		Bitmap signatures of sets.
 *
 * Each token toggles one bit, so that the bits in which two signatures differ
 * are at most the tokens in which the sets differ: popcount(s(x) ⊕ s(y)) <=
 * |x ⊕ y|. A pair whose signatures differ in more than |x| + |y| - 2α bits is
 * not similar, and none of its tokens need be read.
 *
 * Unrelated sets of a and b tokens differ in about B/2 (1 - e^(-2 (a + b) / B))
 * of B bits; the filter is as good as that lies above the allowed distance.
 */
#ifndef NEARDUP_JOIN_SIGNATURE_H
#define NEARDUP_JOIN_SIGNATURE_H

#include "port/pg_bitutils.h"

#define SIGNATURE_BITS_PER_WORD 64
#define SIGNATURE_MAX_WORDS 8

/* 2^32 divided by the golden ratio. */
#define SIGNATURE_MULTIPLIER UINT32_C(2654435761)

/* The bit of a token. Tokens are ranks: neighbours are spread by a multiplication. */
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

/*
 * Many signatures, word by word: word w of signature i is planes[w][i]. So a
 * vector register holds the same word of neighbours.
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

/*
 * How signatures are made and compared. There is one set of functions for each kind of
 * processor; all do the same.
 */
typedef struct SignatureScan
{
	/* Toggles the bits of the tokens in a signature of so many words, a power of two. */
	void (*add)(uint64 *signature, uint32 words, const uint32 *tokens, uint32 count);

	/*
	 * Writes to near, in ascending order, those of first .. end - 1 whose
	 * signatures differ from that of x in at most greatest_distance bits, and in
	 * how many; returns their number. near and distances have room for all of them.
	 */
	uint32 (*one)(const SignaturePlanes *signatures, uint32 x, uint32 first, uint32 end,
				  uint32 greatest_distance, uint32 *near, uint32 *distances);

	/*
	 * For each x of x_first .. x_end - 1, in which of the up to eight signatures
	 * first .. end - 1 are as near as its own greatest distance, which may be
	 * negative: bit i of its element of near is for first + i. Returns whether any is.
	 */
	bool (*many)(const SignaturePlanes *signatures, uint32 x_first, uint32 x_end, uint32 first,
				 uint32 end, const int32 *greatest_distances, uint8 *near);

	/* Whether two signatures, each of so many words together, differ in at most so many bits. */
	bool (*are_near)(const uint64 *x, const uint64 *y, uint32 words, int64 greatest_distance);
} SignatureScan;

/* Others that many compares with at once. */
#define SIGNATURE_LANES 8

/* The fastest for this processor. */
extern SignatureScan SignatureScanBest(void);

/* All that this processor can run, the plainest first; returns how many there are. */
#define SIGNATURE_SCANS 3
extern int SignatureScansAvailable(SignatureScan *scans);

#endif
