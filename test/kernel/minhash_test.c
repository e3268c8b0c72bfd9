/*
 * minhash_test.c
 *		The hash functions of sketches, the plans of bands, and the join by
 *		buckets, against plain loops.
 *
 * No server is needed; see measure_test.c for how it is compiled. Prints TAP.
 * Exits with 1 where a property fails.
 */
#include "c.h"

#include <math.h>

#include "utils/palloc.h"

#include "join/kernel/load.h"
#include "kernel_test.h"
#include "minhash/band.h"
#include "minhash/family.h"
#include "minhash/lsh_plan.h"
#include "minhash/supershingles.h"
#include "tokenset/token_hash.h"

/* c.h puts in their place what only PostgreSQL's own libraries have. */
#undef printf
#undef snprintf

static MinhashFamily *
make_family(uint32 k, uint64 seed)
{
	MinhashFamily *family = test_allocate(NULL, MinhashFamilySize(k));

	MinhashFamilyInit(family, k, seed);
	return family;
}

/* Component i over the hashes, by the formula itself. */
static uint32
component(const MinhashFamily *family, uint32 i, const uint64 *hashes, uint32 count)
{
	uint64 least = PG_UINT64_MAX;

	for (uint32 n = 0; n < count; n++)
		least =
			Min(least, family->parameters[i] * hashes[n] + family->parameters[family->lanes + i]);
	return least >> 32;
}

static void
test_scans(void)
{
	const uint32 ks[] = {1, 5, 32, 128, 200};
	MinhashScan scans[MINHASH_SCANS];
	int scan_count = MinhashScansAvailable(scans);
	bool same = true;

	random_state = 4711;
	for (uint32 n = 0; n < lengthof(ks); n++)
	{
		MinhashFamily *family = make_family(ks[n], n);

		for (uint32 count = 1; count < 600; count = count * 2 + 1)
		{
			uint64 hashes[600];

			for (uint32 i = 0; i < count; i++)
				hashes[i] = random_below(4) == 0 ? random_below(8) : random_bits();
			for (int s = 0; s < scan_count; s++)
			{
				uint64 minima[256];

				memset(minima, 0xff, sizeof(minima));
				/* In two parts, so that the second one starts from minima. */
				scans[s](family, hashes, count / 2, minima);
				scans[s](family, hashes + count / 2, count - count / 2, minima);
				for (uint32 i = 0; i < ks[n]; i++)
					same =
						same && MinhashComponent(minima[i]) == component(family, i, hashes, count);
			}
		}
		free(family);
	}
	ok(same, "all scans of this processor have the minima of the formula");
}

/* SplitMix64 of seed 1, whose first two numbers are published with many implementations. */
static void
test_family(void)
{
	MinhashFamily *small = make_family(3, 1);
	MinhashFamily *large = make_family(100, 1);
	bool same = true;

	ok(small->parameters[0] == (UINT64CONST(0x910a2dec89025cc1) | 1) &&
		   small->parameters[small->lanes] == UINT64CONST(0xbeeb8da1658eec67),
	   "the first function of seed 1 has the numbers of SplitMix64");
	for (uint32 i = 0; i < 3; i++)
		same = same && small->parameters[i] == large->parameters[i] &&
			   small->parameters[small->lanes + i] == large->parameters[large->lanes + i];
	ok(same, "the functions of a smaller k are the first ones of a larger");
	free(small);
	free(large);
}

/* The mean probability below the threshold, by many midpoints. */
static double
mean_below(double threshold, LshPlan plan)
{
	const int points = 2000;
	double sum = 0;

	for (int i = 0; i < points; i++)
		sum += 1 - pow(1 - pow(threshold * (i + 0.5) / points, plan.rows), plan.bands);
	return sum / points;
}

static void
test_plans(void)
{
	const double recalls[] = {0.5, 0.9, 0.95, 0.99, 0.9999};
	const uint32 ks[] = {1, 8, 64, 128, 200};
	bool reached = true;
	bool fewest = true;
	bool none_missed = true;
	int found = 0;

	for (int t = 2; t <= 20; t++)
	{
		double threshold = t / 20.0;

		for (uint32 r = 0; r < lengthof(recalls); r++)
		{
			for (uint32 n = 0; n < lengthof(ks); n++)
			{
				LshPlan plan;
				bool has_plan = LshPlanFind(threshold, recalls[r], ks[n], &plan);
				double mean = has_plan ? mean_below(threshold, plan) : HUGE_VAL;

				found += has_plan;
				reached = reached && (!has_plan || (plan.bands * plan.rows <= ks[n] &&
													LshProbability(threshold, plan) >= recalls[r]));
				for (uint32 rows = 1; rows <= ks[n]; rows++)
				{
					for (uint32 bands = 1; bands * rows <= ks[n]; bands++)
					{
						LshPlan other = {.bands = bands, .rows = rows};

						if (LshProbability(threshold, other) < recalls[r])
							continue;
						none_missed = none_missed && has_plan;
						/* Numerical integration has its limits. */
						fewest = fewest && mean_below(threshold, other) >= mean * (1 - 1e-3);
						break;
					}
				}
			}
		}
	}
	ok(found > 100, "there are plans");
	ok(reached, "a plan reaches the recall at the threshold, within k components");
	ok(fewest, "no other bands and rows that do have fewer candidates");
	ok(none_missed, "where no plan is found, there is none");
}

#define SETS 600
#define MOST_TOKENS 40

typedef struct TestSet
{
	int64 tokens[MOST_TOKENS];
	uint32 size;
} TestSet;

static TestSet sets[SETS];

/* Sets of which many are copies of others, changed in a few tokens or in none. */
static void
make_sets(uint32 universe)
{
	for (uint32 i = 0; i < SETS; i++)
	{
		TestSet *set = &sets[i];
		uint32 changes = random_below(6);
		uint32 wanted;

		if (i > 0 && random_below(3) > 0)
			*set = sets[random_below(i)];
		else
		{
			set->size = 0;
			changes = MOST_TOKENS;
		}
		if (changes < 2)
			continue;
		wanted = set->size == 0 ? 1 + random_below(MOST_TOKENS) : set->size;
		set->size -= Min(set->size - 1, changes / 2) * (set->size > 0);
		while (set->size < wanted)
		{
			int64 token = random_below(universe);
			bool is_new = true;

			for (uint32 k = 0; k < set->size; k++)
				is_new = is_new && set->tokens[k] != token;
			if (is_new)
				set->tokens[set->size++] = token;
		}
	}
}

static uint32
overlap_of(const TestSet *x, const TestSet *y)
{
	uint32 overlap = 0;

	for (uint32 i = 0; i < x->size; i++)
	{
		for (uint32 k = 0; k < y->size; k++)
			overlap += x->tokens[i] == y->tokens[k];
	}
	return overlap;
}

/* By set, the components of a sketch, or of the band's rows. */
static uint32 sketches[SETS][256];

static void
sketch_sets(const BucketSpec *buckets)
{
	uint32 k = buckets->keys * buckets->rows;
	MinhashFamily *family = make_family(k, buckets->seed);

	for (uint32 i = 0; i < SETS; i++)
	{
		uint64 hashes[MOST_TOKENS];

		for (uint32 n = 0; n < sets[i].size; n++)
			hashes[n] = TokenHash(sets[i].tokens[n], buckets->seed);
		for (uint32 c = 0; c < k; c++)
			sketches[i][c] = component(family, c, hashes, sets[i].size);
	}
	free(family);
}

static bool
share_band(uint32 x, uint32 y, const BucketSpec *buckets)
{
	for (uint32 band = 0; band < buckets->keys; band++)
	{
		if (memcmp(&sketches[x][band * buckets->rows], &sketches[y][band * buckets->rows],
				   buckets->rows * sizeof(uint32)) == 0)
			return true;
	}
	return false;
}

/* Values in the lower halves of the tokens. */
static bool
share_supershingle(uint32 x, uint32 y, const BucketSpec *buckets)
{
	uint64 keys[2][MOST_TOKENS];
	uint32 of[2] = {x, y};

	for (int side = 0; side < 2; side++)
	{
		uint32 values[MOST_TOKENS];

		for (uint32 i = 0; i < sets[x].size; i++)
			values[i] = (uint32) sets[of[side]].tokens[i];
		SupershingleKeys(values, sets[x].size, buckets->rows, keys[side]);
	}
	for (uint32 i = 0; i < buckets->keys; i++)
	{
		for (uint32 k = 0; k < buckets->keys; k++)
		{
			if (keys[0][i] == keys[1][k])
				return true;
		}
	}
	return false;
}

static uint8 found[SETS][SETS];

static void
mark_pair(void *context, const JoinRecord *x, const JoinRecord *y, uint32 overlap)
{
	bool *overlaps_right = context;

	*overlaps_right = *overlaps_right && overlap == overlap_of(&sets[x->row], &sets[y->row]);
	found[x->row][y->row]++;
}

/* Joins all sets by buckets, and compares with all pairs; left rows come first. */
static void
test_bucket_join(BucketSpec buckets, Predicate predicate, uint32 first_right, bool helped,
				 const char *name)
{
	JoinHost host = helped ? test_host_with_helpers() : test_host();
	JoinRecords records;
	JoinEngine engine;
	JoinLoad load;
	JoinCounters counters = {0};
	bool overlaps_right = true;
	bool two_sided = first_right < SETS;
	uint32 expected = 0;
	uint32 wrong = 0;
	uint64 by_unit = 0;
	char rule[200];
	Size need;

	memset(found, 0, sizeof(found));
	JoinRecordsInit(&records, &host);
	records.buckets = &buckets;
	records.two_sided = two_sided;
	if (two_sided)
		records.first_right_row = first_right;
	JoinLoadInit(&load, predicate, JOIN_BUCKETS, SIZE_MAX);
	for (uint32 i = 0; i < SETS; i++)
	{
		JoinRecordsAppend(&records, i, sets[i].tokens, sets[i].size);
		JoinLoadAdd(&load, sets[i].size);
	}
	need =
		helped ? JoinLoadShared(&load, &records, TEST_HELPERS + 1) : JoinLoadNeed(&load, &records);
	JoinRecordsCanonicalize(&records);
	JoinShareRecords(&records);
	JoinEngineIndex(&engine, &records, predicate, JOIN_BUCKETS);
	JoinEngineProbe(&engine, mark_pair, &overlaps_right, &counters);
	for (uint32 unit = 0; unit < BucketJoinUnits(&engine.buckets); unit++)
		by_unit += engine.buckets.candidates[unit];
	JoinEngineFree(&engine);
	JoinRecordsFree(&records);

	for (uint32 x = 0; x < SETS; x++)
	{
		for (uint32 y = x + 1; y < SETS; y++)
		{
			bool wanted = (!two_sided || (x < first_right && y >= first_right)) &&
						  PredicateHolds(predicate, overlap_of(&sets[x], &sets[y]), sets[x].size,
										 sets[y].size) &&
						  (buckets.kind == BUCKETS_OF_BANDS ? share_band(x, y, &buckets)
															: share_supershingle(x, y, &buckets));

			expected += wanted;
			wrong += found[x][y] + found[y][x] != wanted || (two_sided && found[y][x] > 0);
		}
	}
	snprintf(rule, sizeof(rule), "%s, %s%s: the %u pairs of all that share a key, each once", name,
			 two_sided ? "R-S join" : "self-join", helped ? " with helpers" : "", expected);
	ok(wrong == 0 && expected > 50 && overlaps_right, rule);
	ok(helped || by_unit == counters.candidates, "candidates by unit are all candidates");
	ok((helped ? host.arena.used : host.peak_bytes) <= need,
	   "and it takes no more memory than was foretold");
}

static void
test_bucket_joins(void)
{
	const Predicate jaccard = {.measure = MEASURE_JACCARD, .threshold = 0.5};
	const Predicate shared = {.measure = MEASURE_OVERLAP, .threshold = MOST_TOKENS / 2};
	const BucketSpec bands[] = {
		{.kind = BUCKETS_OF_BANDS, .keys = 1, .rows = 2, .seed = 3},
		{.kind = BUCKETS_OF_BANDS, .keys = 7, .rows = 4, .seed = 5},
		{.kind = BUCKETS_OF_BANDS, .keys = 20, .rows = 6, .seed = UINT64CONST(1) << 63},
	};

	for (uint32 i = 0; i < lengthof(bands); i++)
	{
		random_state = 100 + i;
		make_sets(i == 0 ? 60 : 2000);
		sketch_sets(&bands[i]);
		for (int helped = 0; helped < 2; helped++)
		{
			test_bucket_join(bands[i], jaccard, SETS, helped, "bands");
			test_bucket_join(bands[i], jaccard, SETS / 3, helped, "bands");
		}
	}
	/* Sketches: all of one size, and components that differ. */
	random_state = 99;
	for (uint32 i = 0; i < SETS; i++)
	{
		sets[i].size = MOST_TOKENS;
		for (uint32 k = 0; k < MOST_TOKENS; k++)
		{
			uint32 changed = random_below(100) < 15 || i < 40;

			sets[i].tokens[k] = (int64) k << 32 | (changed ? (uint32) random_bits()
														   : (uint32) sets[i % 40].tokens[k]);
		}
		if (i % 9 == 0)
			sets[i] = sets[i % 40];
	}
	for (uint32 size = 1; size <= 12; size += size)
	{
		BucketSpec supershingles = {.kind = BUCKETS_OF_SUPERSHINGLES,
									.keys = SupershingleCount(MOST_TOKENS, size),
									.rows = size};

		for (int helped = 0; helped < 2; helped++)
		{
			test_bucket_join(supershingles, shared, SETS, helped, "super-shingles");
			test_bucket_join(supershingles, shared, SETS / 2, helped, "super-shingles");
		}
	}
}

int
main(void)
{
	test_scans();
	test_family();
	test_plans();
	test_bucket_joins();
	printf("1..%d\n", tests);
	return failures > 0;
}
