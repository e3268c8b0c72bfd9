/*
 * family.h
 *		The hash functions of a sketch, and their minima over hashed tokens.
 *
 * Function i maps the 64-bit hash x of a token to the upper half of a_i x + b_i modulo 2^64:
 * multiply-add-shift (Dietzfelbinger, Universal Hashing and k-wise Independent Random Variables via
 * Integer Arithmetic without Primes, 1996). SplitMix64 draws the odd a_i and the b_i from the seed.
 * Such 2-universal functions behave as random ones because x is itself a hash (Mitzenmacher and
 * Vadhan, Why Simple Hash Functions Work, 2008).
 *
 * This header needs only c.h.
 */
#ifndef NEARDUP_SKETCH_FAMILY_H
#define NEARDUP_SKETCH_FAMILY_H

/* Greatest number of functions of a sketch. */
#define MINHASH_MAX_K 16384

/* Functions are computed in multiples of this. */
#define MINHASH_LANES 32

typedef struct MinhashFamily
{
	uint32 k;
	uint32 lanes;							  /* k, rounded up to a multiple of MINHASH_LANES */
	uint64 parameters[FLEXIBLE_ARRAY_MEMBER]; /* lanes of a_i, then lanes of b_i */
} MinhashFamily;

extern Size MinhashFamilySize(uint32 k);
extern void MinhashFamilyInit(MinhashFamily *family, uint32 k, uint64 seed);

/* Lowers minima[lanes], at first PG_UINT64_MAX, to the least a_i x + b_i over the hashes x. */
typedef void (*MinhashScan)(const MinhashFamily *family, const uint64 *hashes, uint32 count,
							uint64 *minima);

/* The fastest for this processor. */
extern MinhashScan MinhashScanBest(void);

/* All that this processor can run, the portable one first; returns their number. */
#define MINHASH_SCANS 3
extern int MinhashScansAvailable(MinhashScan *scans);

static inline uint32
MinhashComponent(uint64 minimum)
{
	return minimum >> 32;
}

#endif
