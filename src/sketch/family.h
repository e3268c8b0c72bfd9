/*
 * family.h
 *		The hash functions of a minhash sketch, and their minima over hashed tokens.
 *
 * A component of a sketch is the least value of one hash function over the tokens of a set. The
 * least value over the union of two sets belongs to each token of the union with equal chance, and
 * it is the least value of both sets just where that token is in the intersection. So two sets
 * agree in a component with a probability that is their Jaccard similarity.
 *
 * Function i maps the 64-bit hash x of a token to the upper half of a_i x + b_i modulo 2^64. This
 * is multiply-add-shift (Dietzfelbinger, Universal Hashing and k-wise Independent Random Variables
 * via Integer Arithmetic without Primes, 1996). SplitMix64 draws the odd a_i and the b_i from the
 * seed. These functions are only 2-universal, but they behave as random ones because x is itself a
 * hash (Mitzenmacher and Vadhan, Why Simple Hash Functions Work, 2008).
 *
 * This header needs c.h only.
 */
#ifndef NEARDUP_SKETCH_FAMILY_H
#define NEARDUP_SKETCH_FAMILY_H

/* Greatest number of functions of a sketch. */
#define MINHASH_MAX_K 16384

/* Functions are computed in groups of this many, which fill the registers of all variants. */
#define MINHASH_LANES 32

/* The functions of a k and a seed. The caller allocates MinhashFamilySize(k) bytes. */
typedef struct MinhashFamily
{
	uint32 k;
	uint32 lanes;							  /* k, rounded up to a multiple of MINHASH_LANES */
	uint64 parameters[FLEXIBLE_ARRAY_MEMBER]; /* all a_i, then all b_i */
} MinhashFamily;

/* Returns the size of a family of k functions, in bytes. */
extern Size MinhashFamilySize(uint32 k);

/* Draws the functions. The first k functions of a seed are the same for each k. */
extern void MinhashFamilyInit(MinhashFamily *family, uint32 k, uint64 seed);

/*
 * Lowers the minima, one for each of the family's lanes, to the least a_i x + b_i over the hashes
 * x. The caller begins with PG_UINT64_MAX. The minimum of the whole value has the least upper half.
 */
typedef void (*MinhashScan)(const MinhashFamily *family, const uint64 *hashes, uint32 count,
							uint64 *minima);

/* Returns the fastest scan for this processor. */
extern MinhashScan MinhashScanBest(void);

#define MINHASH_SCANS 3

/*
 * Stores all scans that this processor can run, the portable one first; returns their number, at
 * most MINHASH_SCANS. All have the same results.
 */
extern int MinhashScansAvailable(MinhashScan *scans);

/* Returns the component of a minimum. */
static inline uint32
MinhashComponent(uint64 minimum)
{
	return minimum >> 32;
}

#endif
