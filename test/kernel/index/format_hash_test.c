/*
 * format_hash_test.c
 *		What an index on disk relies on: the order, the buckets and the signatures of tokens, and the
 *		tokens of scopes.
 *
 * An index that one build has written must be read by every other, whatever its byte order. If a
 * value here has to change, then so has INDEX_VERSION.
 */
#include "c.h"

#include "utils/palloc.h"

#include "index/format_hash.h"
#include "kernel_test.h"
#include "scope/salt.h"

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

typedef struct FixedScope
{
	uint64 hash;	 /* of a value */
	uint64 salt;	 /* of a scope with this value */
	uint64 longer;	 /* and with another one, of hash 7 */
	Token tokens[5]; /* what stands for scope_tokens in the first of these scopes */
} FixedScope;

static const Token scope_tokens[] = {0, 1, -1, SCOPE_ROW_TOKEN, PG_INT64_MIN};

static const FixedScope fixed_scopes[] = {
	{UINT64CONST(0x0),
	 UINT64CONST(0x48218226ff3cd4bf),
	 UINT64CONST(0x6ef611cdf616c66a),
	 {INT64CONST(3746585686858627171), INT64CONST(4336712865889401412),
	  INT64CONST(-1943441456307047628), INT64CONST(-207948471476073880),
	  INT64CONST(8567413922762445798)}},
	{UINT64CONST(0x1),
	 UINT64CONST(0x9e0160293a33aaf7),
	 UINT64CONST(0xa26de23ead7c059a),
	 {INT64CONST(5030171812741402187), INT64CONST(7593505589311514146),
	  INT64CONST(7723264548433854627), INT64CONST(-1166753114896873107),
	  INT64CONST(4576838516586964966)}},
	{UINT64CONST(0x2a),
	 UINT64CONST(0x4579b960bb007f46),
	 UINT64CONST(0x03da0bbfb17940fc),
	 {INT64CONST(-2842679627795143652), INT64CONST(5952958181654238905),
	  INT64CONST(-8090901399181426875), INT64CONST(6354724008996305664),
	  INT64CONST(6311898366570251220)}},
	{UINT64CONST(0xffffffffffffffff),
	 UINT64CONST(0xf2c27ef86a95b080),
	 UINT64CONST(0x09340d03aa069694),
	 {INT64CONST(2535318185303377144), INT64CONST(9187359052064636960),
	  INT64CONST(1854257885726202760), INT64CONST(-271846980088217255),
	  INT64CONST(-620140939886633042)}},
	{UINT64CONST(0x123456789abcdeef),
	 UINT64CONST(0x265ad8fca5705961),
	 UINT64CONST(0x1e4802b8277851f0),
	 {INT64CONST(-1325862256341662713), INT64CONST(-328609291752454324),
	  INT64CONST(-4249151880561736062), INT64CONST(6007908257742709346),
	  INT64CONST(-1732628014130745621)}},
};

static void
test_fixed_scopes(void)
{
	uint32 wrong_salts = 0;
	uint32 wrong_tokens = 0;

	for (uint32 i = 0; i < lengthof(fixed_scopes); i++)
	{
		const FixedScope *scope = &fixed_scopes[i];
		uint64 salt = ScopeSalt(0, scope->hash);

		wrong_salts += salt != scope->salt || ScopeSalt(salt, 7) != scope->longer;
		for (uint32 t = 0; t < lengthof(scope_tokens); t++)
			wrong_tokens += ScopeToken(salt, scope_tokens[t]) != scope->tokens[t];
	}
	ok(SCOPE_ROW_TOKEN == INT64CONST(7954871460759433331),
	   "index format: each row of a scope has the token that marks its rows on disk");
	ok(wrong_salts == 0, "index format: values of scope columns have the salts of sets on disk");
	ok(ScopeSaltNull(0) == UINT64CONST(0x11ab84cfb3297db5),
	   "index format: a scope of NULL has the salt that sets of tracked tables have");
	ok(wrong_tokens == 0, "index format: tokens of a scope are those on disk");
}

/* Neighbouring tokens of neighbouring scopes stay apart, and so do columns in another order. */
static void
test_scopes_apart(void)
{
	enum
	{
		COUNT = 300
	};
	static Token all[COUNT * COUNT];
	uint32 equal = 0;

	for (uint32 i = 0; i < COUNT; i++)
	{
		for (uint32 k = 0; k < COUNT; k++)
			all[i * COUNT + k] = ScopeToken(ScopeSalt(0, i), k);
	}
	qsort(all, lengthof(all), sizeof(Token), compare_tokens);
	for (uint32 i = 1; i < lengthof(all); i++)
		equal += all[i] == all[i - 1];
	ok(equal == 0, "index format: no token of one scope is that of another");
	ok(ScopeSalt(ScopeSalt(0, 1), 2) != ScopeSalt(ScopeSalt(0, 2), 1),
	   "index format: the order of scope columns counts");
}

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

	for_each_case (round, 100000, wrong)
	{
		uint64 lesser = random_bits();
		uint64 greater = lesser + random_bits() % (PG_UINT64_MAX - lesser);
		uint32 buckets = 1 + random_below(100000);

		case_has("hashes " UINT64_FORMAT " and " UINT64_FORMAT ", %u buckets", lesser, greater,
				 buckets);
		wrong += IndexBucket(lesser, buckets) > IndexBucket(greater, buckets) ||
				 IndexBucket(greater, buckets) >= buckets;
	}
	ok(wrong == 0, "index format: buckets ascend as hashes do, and are as many as they are");
}

int
main(void)
{
	test_fixed_tokens();
	test_fixed_scopes();
	test_scopes_apart();
	test_order();
	return done_testing();
}
