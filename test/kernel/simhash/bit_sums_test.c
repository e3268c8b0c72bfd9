/*
 * bit_sums_test.c
 *		Sums of bits against plain loops.
 */
#include "c.h"

#include <string.h>

#include "kernel_test.h"
#include "sketch/bit_sums.h"
#include "sketch/token_hash.h"

static void
test_kernels(void)
{
	BitSumsKernel kernels[BIT_SUMS_KERNELS];
	int available = BitSumsKernelsAvailable(kernels);
	bool counts_are_right = true;
	bool sums_are_right = true;

	for_each_case (round, 200, !counts_are_right + !sums_are_right)
	{
		uint64 hashes[255];
		uint32 length = round % 10 == 0 ? 255 : random_below(256);
		int64 weight = (int64) random_bits() >> random_below(63);
		uint32 counted[BIT_SUMS] = {0};
		int64 added[BIT_SUMS] = {0};

		case_has("%u hashes, weight " INT64_FORMAT, length, weight);
		for (uint32 i = 0; i < length; i++)
		{
			hashes[i] = round % 20 == 0 ? PG_UINT64_MAX : random_bits();
			for (int bit = 0; bit < BIT_SUMS; bit++)
				counted[bit] += (hashes[i] >> bit) & 1;
		}
		for (int bit = 0; bit < BIT_SUMS; bit++)
			added[bit] = length > 0 && ((hashes[0] >> bit) & 1) ? weight : -weight;
		for (int k = 0; k < available; k++)
		{
			uint32 counters[BIT_SUMS] = {0};
			int64 sums[BIT_SUMS] = {0};

			kernels[k].count(counters, hashes, length);
			kernels[k].add(sums, length > 0 ? hashes[0] : 0, weight);
			counts_are_right = counts_are_right && memcmp(counters, counted, sizeof(counted)) == 0;
			sums_are_right = sums_are_right && memcmp(sums, added, sizeof(added)) == 0;
		}
	}
	printf("# %d kernels\n", available);
	ok(counts_are_right, "bits are counted as one by one, whatever the processor");
	ok(sums_are_right, "weights are added as one by one, whatever the processor");
}

/* XXH3-64 of 8 bytes, the least significant first, as computed elsewhere (python-xxhash 3). */
static void
test_known_hashes(void)
{
	const uint8 bytes[8] = {0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 0x01};

	ok(TokenHash(0, 0) == UINT64CONST(0xc77b3abb6f87acd9) &&
		   TokenHash(1, 0) == UINT64CONST(0x2fbc593564db792e) &&
		   TokenHash(-1, 0) == UINT64CONST(0x5111c7e47d784413) &&
		   TokenHash(INT64CONST(0x0123456789abcdef), 42) == UINT64CONST(0xad2ad1ac61c2919a),
	   "hashes of tokens are those known");
	ok(TokenHash(INT64CONST(0x0123456789abcdef), 7) ==
		   XXH3_64bits_withSeed(bytes, sizeof(bytes), 7),
	   "the bytes of a token are hashed with the least significant first");
}

static void
test_weights(void)
{
	bool same = true;
	bool order_is_irrelevant = true;
	BitSums full = {.total = PG_INT64_MAX - 5};
	BitSums one = {0};

	for_each_case (seed, 100, !same + !order_is_irrelevant)
	{
		int64 tokens[600];
		uint32 count = 1 + random_below(600);
		BitSums together = {0};
		BitSums singly = {0};
		BitSums parts[2] = {{0}, {0}};

		case_has("%u tokens", count);
		for (uint32 i = 0; i < count; i++)
			tokens[i] = (int64) random_bits();
		BitSumsAddTokens(&together, tokens, count);
		for (uint32 i = 0; i < count; i++)
		{
			(void) BitSumsAddToken(&singly, tokens[i], 1);
			(void) BitSumsAddToken(&parts[random_below(2)], tokens[count - 1 - i], 1);
		}
		same = same && memcmp(&together, &singly, sizeof(BitSums)) == 0;
		order_is_irrelevant = order_is_irrelevant && BitSumsAdd(&parts[0], &parts[1]) &&
							  memcmp(&parts[0], &together, sizeof(BitSums)) == 0;
	}
	ok(same, "tokens of weight 1 add up the same, many at once or one by one");
	ok(order_is_irrelevant, "sums of parts, in any order, are the sums of the whole");
	ok(!BitSumsAddToken(&full, 1, 6) && BitSumsAddToken(&full, 1, -5) &&
		   full.total == PG_INT64_MAX && !BitSumsAddToken(&one, 1, PG_INT64_MIN) && one.total == 0,
	   "weights are refused just when their absolute values overflow");
}

int
main(void)
{
	test_kernels();
	test_known_hashes();
	test_weights();
	return done_testing();
}
