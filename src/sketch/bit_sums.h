/*
 * bit_sums.h
 *		The sums whose signs are the bits of a simhash.
 *
 * This is the construction of Charikar (Similarity Estimation Techniques from Rounding Algorithms,
 * 2002, section 3). Each token is hashed to 64 bits. It adds its weight to the sum of each bit that
 * its hash has, and subtracts it from the sums of all others. A bit of the simhash is 1 where the
 * sum is above 0. For example, with three bits and tokens of weight 1 whose hashes are 110, 100 and
 * 101, the sums are 3, -1 and -1, and the simhash is 100: the bits that most of the tokens have.
 * Few changed tokens change few signs.
 *
 * Sums are integers, so that they do not depend on the order of rows, nor on how many workers add
 * them. This header needs c.h only.
 */
#ifndef NEARDUP_SKETCH_BIT_SUMS_H
#define NEARDUP_SKETCH_BIT_SUMS_H

#define BIT_SUMS 64

typedef struct BitSums
{
	int64 total;		  /* of the absolute weights: no sum can exceed it */
	int64 sums[BIT_SUMS]; /* of each bit, the least significant one first */
} BitSums;

/* The seed of the tokens' hashes. */
#define SIMHASH_SEED UINT64CONST(0)

/* Adds a token. Returns false, with nothing added, if the total would overflow. */
extern bool BitSumsAddToken(BitSums *sums, int64 token, int64 weight);

/*
 * Adds tokens of weight 1. There must be fewer than 2^31 in all, and no other weights, so that
 * nothing can overflow.
 */
extern void BitSumsAddTokens(BitSums *sums, const int64 *tokens, uint32 count);

/* Adds other sums. Returns false, with nothing added, if the total would overflow. */
extern bool BitSumsAdd(BitSums *sums, const BitSums *added);

/* Returns the simhash: a 1 for each sum above 0. */
extern uint64 BitSumsSigns(const BitSums *sums);

/* The inner loops, in the instructions of one kind of processor. */
typedef struct BitSumsKernel
{
	/* Adds to each of 64 counters how many of at most 255 hashes have its bit. */
	void (*count)(uint32 *counters, const uint64 *hashes, uint32 count);
	/*
	 * Adds the weight to the sums of the bits that the hash has, and subtracts it from the others.
	 */
	void (*add)(int64 *sums, uint64 hash, int64 weight);
} BitSumsKernel;

#define BIT_SUMS_KERNELS 3

/*
 * Stores the kernels that this processor can run, the portable one first and the fastest one last;
 * returns their number, at most BIT_SUMS_KERNELS. All have the same results.
 */
extern int BitSumsKernelsAvailable(BitSumsKernel *kernels);

#endif
