/*
 * known_tokens_test.c
 *		Joins of records some of whose tokens have been numbered before.
 */
#include "c.h"

#include "kernel_test.h"
#include "random_sets.h"
#include "test_host.h"
#include "whole_join.h"

#define SETS 120

/*
 * Numbers tokens until there are more than `most`; later ones remain unknown. Returns how many have
 * ids.
 */
static uint32
know_tokens(JoinHost *host, const Set *sets, uint32 most, uint32 (*ids)[MAX_SET_SIZE])
{
	TokenDictionary known;
	TokenDictionary *dictionary = &known;
	uint32 count;

	TokenDictionaryInit(dictionary, host);
	for (uint32 i = 0; i < SETS; i++)
	{
		dictionary->is_full = dictionary->token_count > most;
		TokenDictionaryAdd(dictionary, sets[i].tokens, sets[i].size, ids[i]);
	}
	count = dictionary->token_count;
	TokenDictionaryFree(dictionary);
	return count;
}

static void
append_known(JoinRecords *records, uint32 row, const Set *set, const uint32 *ids)
{
	uint32 known[MAX_SET_SIZE];
	int64 unknown[MAX_SET_SIZE];
	uint32 known_count = 0;
	uint32 unknown_count = 0;

	for (uint32 i = 0; i < set->size; i++)
	{
		if (ids[i] != 0)
			known[known_count++] = ids[i];
		else
			unknown[unknown_count++] = set->tokens[i];
	}
	if (set->size > 0)
		JoinRecordsAppendKnown(records, row, known, known_count, unknown, unknown_count);
}

static uint64
count_pairs(const Set *sets, Predicate predicate, JoinAlgorithm algorithm, uint32 most,
			uint32 first)
{
	static uint32 ids[SETS][MAX_SET_SIZE];
	JoinHost host = test_host();
	JoinRecords records;
	JoinEngine engine;
	JoinCounters counters = {0};
	uint64 pairs = 0;

	JoinRecordsInit(&records, &host);
	records.known.count = know_tokens(&host, sets, most, ids);
	for (uint32 i = first; i < SETS; i++)
		append_known(&records, i, &sets[i], ids[i]);
	JoinCanonicalize(&records);
	JoinEngineIndex(&engine, &records, NULL, predicate, algorithm);
	JoinEngineFind(&engine, count_pair, &pairs, &counters);
	JoinEngineFree(&engine);
	JoinRecordsFree(&records);
	return host.bytes == 0 ? pairs : UINT64_MAX;
}

static uint64
count_by_brute_force(const Set *sets, Predicate predicate, uint32 first)
{
	uint64 pairs = 0;

	for (uint32 i = first; i < SETS; i++)
	{
		for (uint32 j = first; j < i; j++)
		{
			if (sets[i].size > 0 && sets[j].size > 0)
				pairs += PredicateHolds(predicate, overlap_of(&sets[i], &sets[j]), sets[i].size,
										sets[j].size);
		}
	}
	return pairs;
}

int
main(void)
{
	static const JoinAlgorithm algorithms[] = {JOIN_AUTO, JOIN_PPJOIN, JOIN_ALLPAIRS};
	static const Measure measures[] = {MEASURE_JACCARD, MEASURE_COSINE, MEASURE_OVERLAP};
	static Set sets[SETS];
	uint32 wrong = 0;
	uint32 empty = 0;

	for_each_case (seed, 200, wrong)
	{
		Predicate predicate;
		uint64 expected;
		uint32 most;
		uint32 first; /* earlier sets only number tokens: later ones may have none of these */

		make_sets(sets, SETS, 20 << random_below(8), seed % 2 == 0,
				  2 + random_below(MAX_SET_SIZE - 1));
		predicate = random_predicate(measures[seed % lengthof(measures)]);
		most = 1 << random_below(12);
		first = random_below(2) * random_below(SETS);
		expected = count_by_brute_force(sets, predicate, first);
		wrong += count_pairs(sets, predicate, algorithms[seed / 3 % lengthof(algorithms)], most,
							 first) != expected;
		empty += expected == 0;
	}
	ok(wrong == 0 && enough(empty < 50), "known tokens: joins find what brute force finds");
	return done_testing();
}
