/*
 * equal_join_test.c
 *		All pairs of equal records against plain loops.
 */
#include "c.h"

#include "kernel/engines.h"
#include "kernel/equal/equal_engine.h"
#include "kernel_test.h"
#include "test_host.h"

#define MOST_ROWS 700

typedef struct Found
{
	uint8 *pairs; /* times that x and y were emitted, by x * rows + y */
	uint32 rows;
	uint32 first_right; /* rows, if there is one side */
	uint32 *of_row;		/* pairs that were emitted of each x */
	uint32 wanted;		/* pairs of each x that are wanted */
	bool sides_are_right;
} Found;

static void
note_pair(void *context, const JoinRecord *x, const JoinRecord *y, uint64 overlap)
{
	Found *found = context;

	if (found->first_right < found->rows)
		found->sides_are_right =
			found->sides_are_right && x->row < found->first_right && y->row >= found->first_right;
	found->pairs[(size_t) Min(x->row, y->row) * found->rows + Max(x->row, y->row)]++;
	found->of_row[x->row]++;
}

static bool
wants_more(void *context, const JoinRecord *x)
{
	const Found *found = context;

	return found->of_row[x->row] < found->wanted;
}

/* Finds the pairs, in the engine's units. Returns their number. */
static uint32
find_pairs(JoinEngine *engine, Found *found, bool asks)
{
	JoinCounters counters = {0};
	JoinParticipant self = {.engine = engine,
							.emit = note_pair,
							.emit_context = found,
							.counters = &counters,
							.wants = asks ? wants_more : NULL};
	uint32 units = JoinEngineBeginFind(engine);

	for (uint32 unit = 0; unit < units; unit++)
		JoinEngineFindUnit(&self, unit, units);
	return units;
}

static void
test_pairs(void)
{
	JoinHost host = test_host();
	bool exact = true;
	bool sides = true;
	bool enough = true;
	bool counted = true;
	bool divided = true;

	for_each_case (seed, 120, !exact + !sides + !enough + !counted + !divided)
	{
		static int64 groups[MOST_ROWS];
		uint32 rows = seed < 5 ? seed : 1 + random_below(MOST_ROWS - 1);
		bool two_sided = seed % 2 == 1;
		bool asks = two_sided && seed % 4 == 3;
		uint32 most_groups = 1 + random_below(seed % 3 == 0 ? 1 : seed % 3 == 1 ? 5 : MOST_ROWS);
		JoinRecords records;
		JoinEngine engine;
		Found found = {.rows = rows, .first_right = rows, .sides_are_right = true};
		uint64 pairs = 0;
		uint32 units;

		case_has("%u rows in %u groups%s%s", rows, most_groups, two_sided ? ", two sides" : "",
				 asks ? ", a few pairs of each" : "");
		found.pairs = calloc((size_t) rows * rows + 1, 1);
		found.of_row = calloc((size_t) rows + 1, sizeof(uint32));
		found.wanted = 1 + random_below(3);
		JoinRecordsInit(&records, &host);
		if (two_sided)
		{
			found.first_right = random_below(rows + 1);
			records.two_sided = true;
			records.first_right_row = found.first_right;
		}
		for (uint32 row = 0; row < rows; row++)
		{
			groups[row] = (int64) random_below(most_groups) * 1000 - 2000;
			JoinRecordsAppend(&records, row, &groups[row], 1);
		}
		JoinCanonicalize(&records);
		JoinEngineIndex(&engine, &records, NULL,
						(Predicate){.measure = MEASURE_JACCARD, .threshold = 1}, JOIN_EQUAL);
		units = find_pairs(&engine, &found, asks);
		for (uint32 x = 0; x < rows; x++)
		{
			uint32 of_x = 0;

			for (uint32 y = x + 1; y < rows; y++)
			{
				bool pair = groups[x] == groups[y] &&
							(!two_sided || (x < found.first_right && y >= found.first_right));
				uint8 times = found.pairs[(size_t) x * rows + y];

				of_x += pair;
				exact = exact && (asks ? times <= pair : times == pair);
			}
			pairs += of_x;
			enough = enough && (!asks || found.of_row[x] == Min(of_x, found.wanted));
		}
		sides = sides && found.sides_are_right;
		counted = counted && host.done == pairs && host.total == pairs;
		divided = divided && units == pairs / 16384 + 1;
		JoinEngineFree(&engine);
		JoinRecordsFree(&records);
		free(found.pairs);
		free(found.of_row);
	}
	ok(exact, "each pair of equal records is found once, and no other");
	ok(sides, "in a join of two sides the left record first");
	ok(enough, "of each record as many pairs as are wanted");
	ok(counted, "the work is the number of pairs");
	ok(divided, "and is divided into units of few pairs");
	ok(host.bytes == 0, "all memory is given back");
}

int
main(void)
{
	test_pairs();
	return done_testing();
}
