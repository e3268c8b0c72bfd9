/*
 * hamming_join_test.c
 *		The join by Hamming distance against plain loops.
 */
#include "c.h"

#include "kernel/hamming/hamming_join.h"
#include "kernel_test.h"
#include "test_host.h"

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

	for_each_case (seed, 240, !exact + !distances + !sides + !checked)
	{
		uint32 round = seed - 1;
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

		case_has("%u rows, distance %d%s%s", rows, distance, two_sided ? ", two sides" : "",
				 keyed ? ", with keys" : "");
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
	ok(host.peak_bytes <= MOST_ROWS * HAMMING_BYTES_PER_VALUE + 65536,
	   "and takes no more memory than was estimated");
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
	test_join();
	test_equal_keys();
	return done_testing();
}
