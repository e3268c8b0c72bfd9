/*
 * bucket_join_test.c
 *		The join by buckets against all pairs that share a key.
 */
#include "c.h"

#include "kernel/buckets/bucket_index.h"
#include "kernel_test.h"
#include "sketch/band.h"
#include "minhash_formula.h"
#include "test_host.h"
#include "sketch/token_hash.h"

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

/* The overlap of each pair of sets, which all joins of these sets are compared with. */
static uint8 overlaps[SETS][SETS];

static void
count_overlaps(void)
{
	for (uint32 x = 0; x < SETS; x++)
	{
		for (uint32 y = x; y < SETS; y++)
			overlaps[x][y] = overlaps[y][x] = overlap_of(&sets[x], &sets[y]);
	}
}

/* By set, the components of a sketch, or of the band's rows. */
static uint32 sketches[SETS][256];

static void
sketch_sets(const BucketSpec *buckets)
{
	uint32 k = buckets->bands * buckets->rows;
	MinhashFamily *family = make_family(k, buckets->seed);

	for (uint32 i = 0; i < SETS; i++)
	{
		uint64 hashes[MOST_TOKENS];

		for (uint32 n = 0; n < sets[i].size; n++)
			hashes[n] = TokenHash(sets[i].tokens[n], buckets->seed);
		for (uint32 c = 0; c < k; c++)
			sketches[i][c] = minhash_component(family, c, hashes, sets[i].size);
	}
	free(family);
}

static bool
share_band(uint32 x, uint32 y, const BucketSpec *buckets)
{
	for (uint32 band = 0; band < buckets->bands; band++)
	{
		if (memcmp(&sketches[x][band * buckets->rows], &sketches[y][band * buckets->rows],
				   buckets->rows * sizeof(uint32)) == 0)
			return true;
	}
	return false;
}

static uint8 found[SETS][SETS];

static void
mark_pair(void *context, const JoinRecord *x, const JoinRecord *y, uint64 overlap)
{
	bool *overlaps_right = context;

	*overlaps_right = *overlaps_right && overlap == overlaps[x->row][y->row];
	found[x->row][y->row]++;
}

/* Joins all sets by buckets, and compares with all pairs; left rows come first. */
static void
test_bucket_join(BucketSpec buckets, Predicate predicate, uint32 first_right, bool parallel)
{
	JoinHost host = parallel ? test_host_with_workers() : test_host();
	JoinRecords records;
	JoinEngine engine;
	MemoryEstimate estimate;
	JoinCounters counters = {0};
	bool overlaps_right = true;
	bool two_sided = first_right < SETS;
	uint32 expected = 0;
	uint32 wrong = 0;
	uint64 by_band = 0;
	Size arena;

	memset(found, 0, sizeof(found));
	JoinRecordsInit(&records, &host);
	records.buckets = &buckets;
	records.two_sided = two_sided;
	if (two_sided)
		records.first_right_row = first_right;
	MemoryEstimateInit(&estimate, predicate, JoinEngineBytes(JOIN_BUCKETS), SIZE_MAX);
	for (uint32 i = 0; i < SETS; i++)
	{
		JoinRecordsAppend(&records, i, sets[i].tokens, sets[i].size);
		MemoryEstimateAdd(&estimate, sets[i].size);
	}
	arena = MemoryEstimateShared(&estimate, &records, TEST_WORKERS + 1);
	JoinCanonicalize(&records);
	JoinEngineIndex(&engine, &records, NULL, predicate, JOIN_BUCKETS);
	JoinEngineFind(&engine, mark_pair, &overlaps_right, &counters);
	for (uint32 band = 0; band < buckets.bands; band++)
		by_band += ((BucketIndex *) engine.index)->candidates[band];
	JoinEngineFree(&engine);
	JoinRecordsFree(&records);

	for (uint32 x = 0; x < SETS; x++)
	{
		for (uint32 y = x + 1; y < SETS; y++)
		{
			bool wanted = (!two_sided || (x < first_right && y >= first_right)) &&
						  PredicateHolds(predicate, overlaps[x][y], sets[x].size, sets[y].size) &&
						  share_band(x, y, &buckets);

			expected += wanted;
			wrong += found[x][y] + found[y][x] != wanted || (two_sided && found[y][x] > 0);
		}
	}
	ok(wrong == 0 && expected > 50 && overlaps_right,
	   "%s%s: the %u pairs of all that share a band, each once",
	   two_sided ? "R-S join" : "self-join", parallel ? " with workers" : "", expected);
	ok(parallel || by_band == counters.candidates, "candidates by band are all candidates");
	ok(host.arena.used <= arena, "and it takes no larger an arena than was estimated");
}

static void
test_bucket_joins(void)
{
	const Predicate jaccard = {.measure = MEASURE_JACCARD, .threshold = 0.5};
	const BucketSpec bands[] = {
		{.bands = 1, .rows = 2, .seed = 3},
		{.bands = 7, .rows = 4, .seed = 5},
		{.bands = 20, .rows = 6, .seed = UINT64CONST(1) << 63},
	};

	for (uint32 i = 0; i < lengthof(bands); i++)
	{
		random_state = 100 + i;
		make_sets(i == 0 ? 60 : 2000);
		count_overlaps();
		sketch_sets(&bands[i]);
		for (int parallel = 0; parallel < 2; parallel++)
		{
			test_bucket_join(bands[i], jaccard, SETS, parallel);
			test_bucket_join(bands[i], jaccard, SETS / 3, parallel);
		}
	}
}

int
main(void)
{
	test_bucket_joins();
	return done_testing();
}
