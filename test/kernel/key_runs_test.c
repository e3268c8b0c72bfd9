/*
 * key_runs_test.c
 *		Rows of one key and one content, which a self-join passes over together.
 *
 * No server is needed; see measure_test.c for how it is compiled. Prints TAP.
 * Exits with 1 where a property fails.
 */
#include "c.h"

#include "join/kernel/load.h"
#include "kernel_test.h"

/* c.h puts in their place what only PostgreSQL's own libraries have. */
#undef printf
#undef snprintf

#define ROWS 200
#define MANY_ROWS 100000

/* Two tokens of six, so that sets are equal, near or apart. */
static int64 sets[MANY_ROWS][2];
static int64 keys[MANY_ROWS];

typedef struct Joined
{
	uint8 found[ROWS][ROWS]; /* of keys that differ */
	uint64 pairs;
	uint64 equal; /* of one key */
} Joined;

static void
note_pair(void *context, const JoinRecord *x, const JoinRecord *y, uint32 overlap)
{
	Joined *joined = context;

	joined->pairs++;
	if (keys[x->row] == keys[y->row])
		joined->equal++;
	else if (x->row < ROWS && y->row < ROWS)
		joined->found[Min(x->row, y->row)][Max(x->row, y->row)]++;
}

/* Returns the work in ticks. */
static uint64
join_rows(uint32 rows, JoinAlgorithm algorithm, bool keyed, uint32 first_right, bool helped,
		  double threshold, Joined *joined)
{
	const Predicate predicate = {.measure = MEASURE_JACCARD, .threshold = threshold};
	const BucketSpec bands = {.kind = BUCKETS_OF_BANDS, .keys = 20, .rows = 1, .seed = 1};
	JoinHost host = helped ? test_host_with_helpers() : test_host();
	JoinCounters counters = {0};
	JoinRecords records;
	JoinEngine engine;

	memset(joined, 0, sizeof(*joined));
	JoinRecordsInit(&records, &host);
	records.buckets = algorithm == JOIN_BUCKETS ? &bands : NULL;
	records.key_order = keyed ? keys : NULL;
	if (first_right < rows)
	{
		records.two_sided = true;
		records.first_right_row = first_right;
	}
	for (uint32 row = 0; row < rows; row++)
		JoinRecordsAppend(&records, row, sets[row], 2);
	(void) checks_since_last();
	JoinRecordsCanonicalize(&records);
	JoinShareRecords(&records);
	JoinEngineIndex(&engine, &records, predicate, algorithm);
	JoinEngineProbe(&engine, note_pair, joined, &counters);
	JoinEngineFree(&engine);
	JoinRecordsFree(&records);
	return checks_since_last() * JOIN_WORK_BETWEEN_CHECKS;
}

/* Rows of any set of two of these tokens, and any of these keys. */
static void
make_rows(uint32 rows, uint32 tokens, uint32 key_count)
{
	for (uint32 row = 0; row < rows; row++)
	{
		uint32 first = random_below(tokens);

		sets[row][0] = first;
		sets[row][1] = (first + 1 + random_below(tokens - 1)) % tokens;
		keys[row] = (int64) random_below(key_count) - key_count / 2;
	}
}

/* The same pairs of different keys as where keys are not known, and of one key none. */
static void
test_pairs(void)
{
	const JoinAlgorithm algorithms[] = {JOIN_AUTO, JOIN_BUCKETS};
	static Joined plain;
	static Joined keyed;
	bool same = true;
	bool passed_over = true;
	uint64 pairs = 0;

	random_state = 815;
	for (uint32 round = 0; round < 96; round++)
	{
		JoinAlgorithm algorithm = algorithms[round % 2];
		uint32 first_right = round / 2 % 2 == 0 ? ROWS : ROWS / 3;
		bool helped = round / 4 % 2 == 1;
		double threshold = round / 8 % 2 == 0 ? 0.3 : 1;
		uint32 key_count = 1 + random_below(round / 16 % 2 == 0 ? 4 : 100);

		make_rows(ROWS, 3 + random_below(4), key_count);
		join_rows(ROWS, algorithm, false, first_right, helped, threshold, &plain);
		join_rows(ROWS, algorithm, true, first_right, helped, threshold, &keyed);
		same = same && memcmp(plain.found, keyed.found, sizeof(plain.found)) == 0;
		passed_over = passed_over && keyed.equal <= plain.equal;
		if (key_count == 1)
			passed_over = passed_over && plain.equal > 0 && keyed.equal == 0;
		pairs += keyed.pairs - keyed.equal;
	}
	ok(same && pairs > 10000, "the pairs of different keys are found, each once");
	ok(passed_over, "rows of one key and equal or near sets are passed over");
}

/* One key, but in one row, and one set or two near ones, cost no work for each pair of rows. */
static void
test_work(void)
{
	const JoinAlgorithm algorithms[] = {JOIN_AUTO, JOIN_BUCKETS};
	const uint64 linear = (uint64) MANY_ROWS * 400;
	static Joined joined;
	bool cheap = true;
	bool right = true;

	for (int variant = 0; variant < 24; variant++)
	{
		JoinAlgorithm algorithm = algorithms[variant % 2];
		bool near = variant / 2 % 2 == 1;
		uint32 first_right = variant / 4 % 2 == 1 ? MANY_ROWS / 3 : MANY_ROWS;
		bool other_first = variant / 8 == 2;
		bool other_last = variant / 8 == 1;
		uint64 pairs = other_last ? Min(first_right, MANY_ROWS - 1) : 0;

		/* Where sides differ, it stands between the rows of the one key on both. */
		if (other_first)
			pairs = first_right < MANY_ROWS ? MANY_ROWS - first_right : MANY_ROWS - 1;
		for (uint32 row = 0; row < MANY_ROWS; row++)
		{
			keys[row] = 7;
			sets[row][0] = 1;
			sets[row][1] = near ? 2 + row % 2 : 2;
		}
		keys[0] += other_first;
		keys[MANY_ROWS - 1] += other_last;
		cheap = cheap &&
				join_rows(MANY_ROWS, algorithm, true, first_right, false, 0.3, &joined) < linear;
		right = right && joined.equal == 0 && joined.pairs == pairs;
	}
	ok(cheap, "many rows of one key and equal or near sets cost linear work");
	ok(right, "and beside a row of another key, these are its pairs");
}

/* Nor do equal or near sets on one side, where few on the other are to be paired with them. */
static void
test_work_of_sides(void)
{
	const JoinAlgorithm algorithms[] = {JOIN_AUTO, JOIN_BUCKETS};
	const uint64 linear = (uint64) MANY_ROWS * 400;
	static Joined joined;
	bool cheap = true;
	bool right = true;

	for (int variant = 0; variant < 8; variant++)
	{
		bool near = variant / 2 % 2 == 1;
		uint32 first_right = variant / 4 == 1 ? 1 : MANY_ROWS - 1;

		for (uint32 row = 0; row < MANY_ROWS; row++)
		{
			keys[row] = row;
			sets[row][0] = 1;
			sets[row][1] = near ? 2 + row % 2 : 2;
		}
		cheap = cheap && join_rows(MANY_ROWS, algorithms[variant % 2], false, first_right, false,
								   0.3, &joined) < linear;
		right = right && joined.pairs == MANY_ROWS - 1;
	}
	ok(cheap, "many equal or near sets on one side cost linear work");
	ok(right, "and with one on the other side they are pairs");
}

int
main(void)
{
	test_pairs();
	test_work();
	test_work_of_sides();
	printf("1..%d\n", tests);
	return failures > 0;
}
