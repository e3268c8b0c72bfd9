/*
 * bit_sums.h
 *		The sums whose signs are the bits of a simhash (Charikar 2002, section 3).
 *
 * Each token adds its weight to the sum of each bit that its hash has, and
 * subtracts it from the sums of the others. A bit of the result is 1 where the
 * sum is above 0; a tie, 0, gives 0.
 *
 * Sums are integers, so that they do not depend on the order of tokens. Needs
 * c.h only.
 */
#ifndef NEARDUP_BIT_SUMS_H
#define NEARDUP_BIT_SUMS_H

#define BIT_SUMS 64

typedef struct BitSums
{
	/*
	 * The sum of the weights' absolute values, which no other sum can exceed:
	 * while it does not overflow, neither do they, whatever the order.
	 */
	int64 total;
	int64 sums[BIT_SUMS]; /* by bit, the least significant first */
} BitSums;

/* The seed of the tokens' hashes in a simhash. */
#define SIMHASH_SEED UINT64CONST(0)

/* Adds tokens of this weight; false, and nothing added, where the total would overflow. */
extern bool BitSumsAddToken(BitSums *sums, int64 token, int64 weight);

/*
 * Adds tokens of weight 1, of which there are so few, below 2^31, that nothing
 * overflows in sums that began with zeros. Takes a nanosecond or two a token.
 */
extern void BitSumsAddTokens(BitSums *sums, const int64 *tokens, uint32 count);

/* Adds other sums; false, and nothing added, where the total would overflow. */
extern bool BitSumsAdd(BitSums *sums, const BitSums *added);

/* The signs. */
extern uint64 BitSumsSigns(const BitSums *sums);

/*
 * How hashes are counted and weights are added. There is one pair of functions
 * for each kind of processor; all do the same.
 */
typedef struct BitSumsKernel
{
	/* Adds to each counter the number of hashes that have its bit; of up to 255 hashes. */
	void (*count)(uint32 *counters, const uint64 *hashes, uint32 count);
	/* Adds the weight to the sum of each bit that the hash has, and subtracts it from the others. */
	void (*add)(int64 *sums, uint64 hash, int64 weight);
} BitSumsKernel;

/* All that this processor can run, the plainest first; returns how many there are. */
#define BIT_SUMS_KERNELS 3
extern int BitSumsKernelsAvailable(BitSumsKernel *kernels);

#endif
