/*
 * family.h
 *		The hash functions of a sketch, and the minima over a set of hashed tokens.
 *
 * Function i maps the 64-bit hash x of a token to the upper half of
 * a_i x + b_i, modulo 2^64: multiply-add-shift (Dietzfelbinger, Universal
 * Hashing and k-wise Independent Random Variables via Integer Arithmetic
 * without Primes, 1996). The a_i, which are odd, and b_i are drawn by
 * SplitMix64 from the seed, so that the functions of a smaller k are the first
 * ones of a larger. For arbitrary x such a function is 2-universal and no more;
 * here x is itself a hash, with the entropy that makes 2-universal functions
 * behave as random ones (Mitzenmacher and Vadhan, Why Simple Hash Functions
 * Work, 2008).
 *
 * This header needs nothing of PostgreSQL but c.h.
 */
#ifndef NEARDUP_MINHASH_FAMILY_H
#define NEARDUP_MINHASH_FAMILY_H

/* Functions of a sketch at most. */
#define MINHASH_MAX_K 16384

/* Functions are computed in multiples of this; those beyond k are computed in vain. */
#define MINHASH_LANES 32

typedef struct MinhashFamily
{
	uint32 k;
	uint32 lanes;							  /* k, rounded up to a multiple of MINHASH_LANES */
	uint64 parameters[FLEXIBLE_ARRAY_MEMBER]; /* lanes of a_i, then lanes of b_i */
} MinhashFamily;

/* Bytes of a family of k functions. */
extern Size MinhashFamilySize(uint32 k);
extern void MinhashFamilyInit(MinhashFamily *family, uint32 k, uint64 seed);

/*
 * Lowers the minima, one for each lane, to those of a_i x + b_i over count hashes
 * x. Minima begin as PG_UINT64_MAX; the upper half of each is the component.
 */
typedef void (*MinhashScan)(const MinhashFamily *family, const uint64 *hashes, uint32 count,
							uint64 *minima);

/* The fastest for this processor. */
extern MinhashScan MinhashScanBest(void);

/* All that this processor can run, the plainest first; returns how many there are. */
#define MINHASH_SCANS 3
extern int MinhashScansAvailable(MinhashScan *scans);

static inline uint32
MinhashComponent(uint64 minimum)
{
	return minimum >> 32;
}

#endif
