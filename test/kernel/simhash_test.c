/*
 * simhash_test.c
 *		Sums of bits, blocks and the join by Hamming distance against plain loops,
 *		and simhashes against the probabilities that they should have.
 */
#include "c.h"

#include <math.h>
#include <string.h>

#include "kernel_test.h"

#include "join/kernel/hamming_join.h"
#include "simhash/bit_sums.h"
#include "simhash/blocks.h"
#include "tokenset/token_hash.h"

#define MOST_TOKENS 4000

/* ------------------------------------------------------------------------ */
/* Sums of bits                                                              */
/* ------------------------------------------------------------------------ */

static void
test_kernels(void)
{
	BitSumsKernel kernels[BIT_SUMS_KERNELS];
	int available = BitSumsKernelsAvailable(kernels);
	bool counts_are_right = true;
	bool sums_are_right = true;

	for (int round = 0; round < 200; round++)
	{
		uint64 hashes[255];
		uint32 length = round % 10 == 0 ? 255 : random_below(256);
		int64 weight = (int64) random_bits() >> random_below(63);
		uint32 counted[BIT_SUMS] = {0};
		int64 added[BIT_SUMS] = {0};

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

static uint64
simhash_of(const int64 *tokens, uint32 count)
{
	BitSums sums = {0};

	BitSumsAddTokens(&sums, tokens, count);
	return BitSumsSigns(&sums);
}

static void
test_weights(void)
{
	bool same = true;
	bool order_is_irrelevant = true;
	BitSums full = {.total = PG_INT64_MAX - 5};
	BitSums one = {0};

	for (int round = 0; round < 100; round++)
	{
		int64 tokens[600];
		uint32 count = 1 + random_below(600);
		BitSums together = {0};
		BitSums singly = {0};
		BitSums parts[2] = {{0}, {0}};

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

/* ------------------------------------------------------------------------ */
/* Probabilities                                                             */
/* ------------------------------------------------------------------------ */

/* The probability that a sum of n signs is s. */
static double
sign_sum(int n, int s)
{
	int plus = (n + s) / 2;

	if ((n + s) % 2 != 0 || plus < 0 || plus > n)
		return 0;
	return exp(lgamma(n + 1.0) - lgamma(plus + 1.0) - lgamma(n - plus + 1.0) - n * M_LN2);
}

static double
sign_sum_above(int n, int s)
{
	double p = 0;

	for (int i = Max(s + 1, -n); i <= n; i++)
		p += sign_sum(n, i);
	return p;
}

/*
 * The probability that a bit differs between sets of a and b tokens, of which c are common:
 * the common ones sum to s, and one set's own tokens lift the sum above 0, the other's do not.
 */
static double
bit_differs(int a, int b, int c)
{
	double p = 0;

	for (int s = -c; s <= c; s++)
	{
		double x = sign_sum_above(a - c, -s);
		double y = sign_sum_above(b - c, -s);

		p += sign_sum(c, s) * (x * (1 - y) + y * (1 - x));
	}
	return p;
}

/* The share of bits that differ, and that of ones in the first set, in so many pairs of random sets. */
static void
measure(int a, int b, int c, int pairs, double *differ, double *ones)
{
	static int64 tokens[2 * MOST_TOKENS];
	int64 differing = 0;
	int64 set = 0;

	for (int pair = 0; pair < pairs; pair++)
	{
		uint64 x;
		uint64 y;

		/* The common tokens are in the middle. */
		for (int i = 0; i < a + b - c; i++)
			tokens[i] = (int64) random_bits();
		x = simhash_of(tokens, a);
		y = simhash_of(tokens + a - c, b);
		differing += __builtin_popcountll(x ^ y);
		set += __builtin_popcountll(x);
	}
	*differ = (double) differing / pairs / 64;
	*ones = (double) set / pairs / 64;
}

static void
test_probabilities(void)
{
	const int sizes[] = {1, 2, 3, 4, 7, 10, 25, 50, 99, 200};
	const int pairs = 1500;
	double worst_distance = 0;
	double worst_ones = 0;
	double differ;
	double ones;

	for (size_t i = 0; i < lengthof(sizes); i++)
	{
		for (size_t j = 0; j < lengthof(sizes); j += 3)
		{
			int a = sizes[i];
			int b = sizes[j];
			int most = Min(a, b);
			int last = -1;

			for (int eighth = 0; eighth <= 8; eighth += 2)
			{
				int c = most * eighth / 8;
				double p = bit_differs(a, b, c);
				double above = sign_sum_above(a, 0);

				if (c == last)
					continue;
				last = c;
				measure(a, b, c, pairs, &differ, &ones);
				if (a == b && b == c)
				{
					worst_distance = Max(worst_distance, differ == 0 && p < 1e-12 ? 0 : 100);
					continue;
				}
				worst_distance =
					Max(worst_distance, fabs(differ - p) / sqrt(p * (1 - p) / 64 / pairs));
				/* Once for each size: among many, one would be out by chance. */
				if (j == 0 && c == 0)
					worst_ones = Max(worst_ones,
									 fabs(ones - above) / sqrt(above * (1 - above) / 64 / pairs));
			}
		}
	}
	printf("# distances within %.2f, ones within %.2f standard errors\n", worst_distance,
		   worst_ones);
	ok(worst_distance <= 3, "distances are as probable as sums of signs make them");
	ok(worst_ones <= 3, "and so are ones, of which ties are none");
	ok(fabs(bit_differs(10, 10, 0) - 0.470) < 0.0005, "10 tokens each, none common: 0.470");
	measure(10, 10, 0, 20000, &differ, &ones);
	printf("# measured %.4f\n", differ);
	ok(fabs(differ - 0.470) < 0.0015, "which is what is measured, and not 0.5");
}

static void
test_charikar(void)
{
	const int sizes[][3] = {{1000, 1000, 0},
							{1000, 1000, 500},
							{1000, 1000, 900},
							{1500, 1000, 800},
							{2000, 1000, 1000}};
	double worst_exact = 0;
	double worst = 0;

	for (size_t i = 0; i < lengthof(sizes); i++)
	{
		int a = sizes[i][0];
		int b = sizes[i][1];
		int c = sizes[i][2];
		double angle = acos(c / sqrt((double) a * b)) / M_PI;
		double differ;
		double ones;

		measure(a, b, c, 6000, &differ, &ones);
		worst_exact = Max(worst_exact, fabs(bit_differs(a, b, c) - angle));
		worst = Max(worst, fabs(differ - angle));
	}
	printf("# exact within %.5f, measured within %.5f of the angle\n", worst_exact, worst);
	ok(worst_exact < 0.002 && worst < 0.002,
	   "of 1,000 tokens and more, the share of bits is the angle divided by pi");
}

/* ------------------------------------------------------------------------ */
/* Blocks                                                                    */
/* ------------------------------------------------------------------------ */

static void
test_blocks(void)
{
	bool divides = true;
	bool once = true;
	bool counted = true;

	for (int round = 0; round < 300; round++)
	{
		int distance = random_below(5);
		int blocks = distance + 1 + random_below(4);
		uint64 bits = random_bits() | random_bits();
		uint64 difference = 0;
		uint64 all = 0;
		int firsts = 0;
		int agreeing = 0;
		int tables_seen = 0;
		int sizes[2] = {64, 0};
		BlockTables tables;

		for (uint32 i = random_below(distance + 1); i > 0; i--)
			difference |= UINT64CONST(1) << random_below(64);
		difference &= bits;
		BlockTablesBegin(&tables, bits, blocks, distance);
		for (int i = 0; i < blocks; i++)
		{
			int size = __builtin_popcountll(tables.masks[i]);

			divides = divides && (all & tables.masks[i]) == 0;
			all |= tables.masks[i];
			sizes[0] = Min(sizes[0], size);
			sizes[1] = Max(sizes[1], size);
		}
		divides = divides && all == bits && sizes[1] - sizes[0] <= 1;
		do
		{
			tables_seen++;
			if ((tables.mask & difference) != 0)
				continue;
			agreeing++;
			if (BlockTablesIsFirst(&tables, difference))
			{
				firsts++;
				once = once && agreeing == 1;
			}
		} while (BlockTablesNext(&tables));
		once = once && firsts == 1 && agreeing >= 1;
		counted = counted && tables_seen == (int) BlockTablesCount(blocks, distance);
	}
	ok(divides, "blocks divide the bits evenly");
	ok(counted, "there are as many tables as ways to choose blocks");
	ok(once, "near values agree in some table, and the first one counts");
}

/* ------------------------------------------------------------------------ */
/* The join                                                                  */
/* ------------------------------------------------------------------------ */

#define MOST_ROWS 3000

typedef struct Found
{
	uint8 *pairs; /* times that x and y were emitted, by x * rows + y */
	const uint64 *values;
	uint32 rows;
	uint32 first_right;
	uint64 count;
	bool distances_are_right;
	bool sides_are_right;
} Found;

static void
note_pair(void *context, uint32 x, uint32 y, int distance)
{
	Found *found = context;

	found->distances_are_right =
		found->distances_are_right &&
		distance == __builtin_popcountll(found->values[x] ^ found->values[y]);
	if (found->first_right != HAMMING_ONE_SIDE)
		found->sides_are_right =
			found->sides_are_right && x < found->first_right && y >= found->first_right;
	found->pairs[(size_t) Min(x, y) * found->rows + Max(x, y)]++;
	found->count++;
}

/* Values of several kinds: random, near each other, equal, of few varying bits, of a common half. */
static uint64
some_value(uint32 kind, uint64 *values, uint32 row)
{
	uint64 value = random_bits();

	if (row == 0 || random_below(4) == 0)
		return kind == 2 ? value & 0xfff : kind == 3 ? value >> 32 : value;
	switch (kind)
	{
		case 0:
			return value;
		case 1:
			value = values[random_below(row)];
			for (uint32 i = random_below(8); i > 0; i--)
				value ^= UINT64CONST(1) << random_below(64);
			return value;
		case 2:
			return (value & 0xfff) << (12 * random_below(3));
		case 3:
			return value >> 32;
		default:
			return values[random_below(Min(row, 5))];
	}
}

static void
test_join(void)
{
	static uint64 given[MOST_ROWS];
	static int64 keys[MOST_ROWS];
	JoinHost host = test_host();
	bool exact = true;
	bool distances = true;
	bool sides = true;
	bool checked = true;
	uint64 pairs = 0;

	for (uint32 round = 0; round < 240; round++)
	{
		uint32 kind = round % 5;
		uint32 rows = round < 20 ? round / 5 : 2 + random_below(kind == 4 ? 300 : MOST_ROWS - 2);
		bool two_sided = round / 5 % 2 == 1;
		bool keyed = round / 10 % 2 == 1;
		uint32 most_keys = 1 + random_below(round % 3 == 0 ? 4 : MOST_ROWS);
		int distance = round % 11 == 10 ? (int) random_below(65) : (int) (round % 11);
		HammingValues values;
		Found found = {
			.values = given, .rows = rows, .distances_are_right = true, .sides_are_right = true};
		uint64 expected = 0;

		found.first_right = two_sided ? random_below(rows + 1) : HAMMING_ONE_SIDE;
		found.pairs = calloc((size_t) rows * rows + 1, 1);
		HammingValuesInit(&values, &host);
		for (uint32 row = 0; row < rows; row++)
		{
			given[row] = some_value(kind, given, row);
			keys[row] = (int64) random_below(most_keys) - most_keys / 2;
			HammingValuesAppend(&values, given[row]);
		}
		(void) checks_since_last();
		HammingJoin(&values, keyed ? keys : NULL, found.first_right, distance, note_pair, &found);
		for (uint32 x = 0; x < rows; x++)
		{
			for (uint32 y = x + 1; y < rows; y++)
			{
				bool pair = __builtin_popcountll(given[x] ^ given[y]) <= distance &&
							!(keyed && keys[x] == keys[y]) &&
							(found.first_right == HAMMING_ONE_SIDE ||
							 (x < found.first_right && y >= found.first_right));

				expected += pair;
				exact = exact && found.pairs[(size_t) x * rows + y] == pair;
			}
		}
		exact = exact && expected == found.count;
		distances = distances && found.distances_are_right;
		sides = sides && found.sides_are_right;
		checked = checked && checks_since_last() >= found.count / JOIN_WORK_BETWEEN_CHECKS;
		pairs += expected;
		HammingValuesFree(&values);
		free(found.pairs);
	}
	printf("# " UINT64_FORMAT " pairs\n", pairs);
	ok(exact, "the join finds each near pair of rows, of different keys where there are keys, once "
			  "and no other");
	ok(distances, "with its distance");
	ok(sides, "and in a join of two sides the left row first");
	ok(checked, "and looks for interrupts");
	ok(host.bytes == 0, "all memory is given back");
	ok(host.peak_bytes <= HammingJoinBytes(MOST_ROWS), "and takes no more than it says");
}

#define MANY_ROWS 400000

static void
count_pair(void *context, uint32 x, uint32 y, int distance)
{
	(*(uint64 *) context)++;
}

/* The work, in ticks, of joining so many rows of these keys and values. */
static uint64
join_work(const uint64 *given, const int64 *keys, uint32 first_right, int distance, uint64 *pairs)
{
	JoinHost host = test_host();
	HammingValues values;

	HammingValuesInit(&values, &host);
	for (uint32 row = 0; row < MANY_ROWS; row++)
		HammingValuesAppend(&values, given[row]);
	*pairs = 0;
	(void) checks_since_last();
	HammingJoin(&values, keys, first_right, distance, count_pair, pairs);
	HammingValuesFree(&values);
	return checks_since_last() * JOIN_WORK_BETWEEN_CHECKS;
}

/* Rows of one key cost no work for each pair of them, whether their values are equal or near. */
static void
test_equal_keys(void)
{
	static uint64 given[MANY_ROWS];
	static int64 keys[MANY_ROWS];
	const uint64 linear = (uint64) MANY_ROWS * 200;
	bool none = true;
	bool cheap = true;
	uint64 pairs;

	for (uint32 row = 0; row < MANY_ROWS; row++)
	{
		given[row] = row % 64 == 0 ? 0 : UINT64CONST(1) << row % 64;
		keys[row] = 7;
	}
	for (int two_sided = 0; two_sided < 2; two_sided++)
	{
		cheap = cheap && join_work(given, keys, two_sided ? MANY_ROWS / 3 : HAMMING_ONE_SIDE, 2,
								   &pairs) < linear;
		none = none && pairs == 0;
	}
	ok(cheap && none, "rows of one key, of equal and near values, are passed over together");
	keys[MANY_ROWS - 1] = 8;
	cheap = join_work(given, keys, HAMMING_ONE_SIDE, 2, &pairs) < linear;
	ok(cheap && pairs == MANY_ROWS - 1, "and beside a row of another key");
}

int
main(void)
{
	random_state = UINT64CONST(0x9E3779B97F4A7C15);
	test_kernels();
	test_known_hashes();
	test_weights();
	test_probabilities();
	test_charikar();
	test_blocks();
	test_join();
	test_equal_keys();
	printf("1..%d\n", tests);
	return failures > 0;
}
