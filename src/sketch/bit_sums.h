/*
 * bit_sums.h
 *		The sums whose signs are the bits of a simhash (Charikar 2002, section 3).
 *
 * A token adds its weight to the sum of each bit that its hash has and subtracts it from the
 * others. Bits with sums above 0 are 1. Integer sums do not depend on order. Needs c.h only.
 */
#ifndef NEARDUP_SKETCH_BIT_SUMS_H
#define NEARDUP_SKETCH_BIT_SUMS_H

#define BIT_SUMS 64

typedef struct BitSums
{
	/* Sum of the absolute weights, which bounds the others. */
	int64 total;
	int64 sums[BIT_SUMS]; /* by bit, the least significant first */
} BitSums;

#define SIMHASH_SEED UINT64CONST(0)

/* False, with nothing added, if the total would overflow. */
extern bool BitSumsAddToken(BitSums *sums, int64 token, int64 weight);

/* Adds fewer than 2^31 tokens of weight 1 to sums that began with zeros. */
extern void BitSumsAddTokens(BitSums *sums, const int64 *tokens, uint32 count);

/* The same. */
extern bool BitSumsAdd(BitSums *sums, const BitSums *added);

extern uint64 BitSumsSigns(const BitSums *sums);

typedef struct BitSumsKernel
{
	/* Counts the bits of at most 255 hashes. */
	void (*count)(uint32 *counters, const uint64 *hashes, uint32 count);
	/* Adds or subtracts the weight by bit. */
	void (*add)(int64 *sums, uint64 hash, int64 weight);
} BitSumsKernel;

/* Kernels that this processor can run, the plainest first; returns their number. */
#define BIT_SUMS_KERNELS 3
extern int BitSumsKernelsAvailable(BitSumsKernel *kernels);

#endif
