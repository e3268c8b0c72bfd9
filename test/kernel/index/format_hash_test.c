/*
 * format_hash_test.c
 *		What an index on disk relies on: the order, the buckets and the signatures of tokens.
 *
 * An index that one build has written must be read by every other, whatever its byte order. If a
 * value here has to change, then so has INDEX_VERSION.
 */
#include "c.h"

#include "utils/palloc.h"

#include "index/format_hash.h"
#include "kernel_test.h"

typedef struct FixedToken
{
	Token token;
	uint64 hash;
	uint32 bucket;	/* of 1000 */
	uint32 bits[3]; /* of signatures of 1, 4 and 16 words */
} FixedToken;

static const FixedToken fixed[] = {
	{0, 0, 0, {0, 0, 0}},
	{1, UINT64CONST(0x9e3779b97f4a7c15), 618, {45, 109, 877}},
	{2, UINT64CONST(0x3c6ef372fe94f82a), 236, {26, 218, 730}},
	{42, UINT64CONST(0xf519f86ee2385b72), 957, {38, 230, 998}},
	{-1, UINT64CONST(0x80b583eb00000000), 502, {56, 56, 568}},
	{INT64CONST(1) << 32, UINT64CONST(0x1d81f5ce7f4a7c15), 115, {33, 33, 289}},
	{PG_INT64_MIN, UINT64CONST(0x3fa53e0a80000000), 248, {36, 228, 740}},
	{PG_INT64_MAX, UINT64CONST(0xc05ac1f580000000), 751, {28, 28, 284}},
	{INT64CONST(0x123456789abcdeef), UINT64CONST(0x606bc15eba025863), 376, {11, 11, 523}},
	{INT64CONST(-0x123456789abcdef), UINT64CONST(0x84f2cfd9c3ef8f3d), 519, {61, 125, 125}},
};

static void
test_fixed_tokens(void)
{
	uint32 wrong_hashes = 0;
	uint32 wrong_buckets = 0;
	uint32 wrong_bits = 0;

	for (uint32 i = 0; i < lengthof(fixed); i++)
	{
		uint64 hash = IndexTokenHash(fixed[i].token);

		wrong_hashes += hash != fixed[i].hash;
		wrong_buckets += IndexBucket(hash, 1000) != fixed[i].bucket;
		for (uint32 b = 0; b < lengthof(fixed[i].bits); b++)
			wrong_bits += IndexSignatureBit(fixed[i].token, 1 << 2 * b) != fixed[i].bits[b];
	}
	ok(wrong_hashes == 0, "index format: tokens have the hashes that order them on disk");
	ok(wrong_buckets == 0, "index format: hashes have the buckets that entries are in");
	ok(wrong_bits == 0, "index format: tokens have the bits of signatures on disk");
}

/* Readers search a bucket by hash, and merges read dictionaries in step. */
static void
test_order(void)
{
	uint32 wrong = 0;

	random_state = 41;
	for (uint32 round = 0; round < 100000; round++)
	{
		uint64 lesser = random_bits();
		uint64 greater = lesser + random_bits() % (PG_UINT64_MAX - lesser);
		uint32 buckets = 1 + random_below(100000);

		wrong += IndexBucket(lesser, buckets) > IndexBucket(greater, buckets) ||
				 IndexBucket(greater, buckets) >= buckets;
	}
	ok(wrong == 0, "index format: buckets ascend as hashes do, and are as many as they are");
}

int
main(void)
{
	test_fixed_tokens();
	test_order();
	return done_testing();
}
