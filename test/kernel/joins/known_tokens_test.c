/*
 * known_tokens_test.c
 *		Joins of records some of whose tokens have been numbered and ranked before.
 */
#include "c.h"

#include "kernel_test.h"
#include "random_sets.h"
#include "test_host.h"
#include "whole_join.h"

#define SETS 120

/* Tokens that were known before, with their ranks. */
typedef struct Known
{
	TokenDictionary dictionary;
	uint32 *ranks;
	uint32 first_shared;
} Known;

/* Numbers tokens until there are more than `most`; later ones remain unknown. */
static void
know_tokens(Known *known, JoinHost *host, const Set *sets, uint32 most, uint32 (*ids)[MAX_SET_SIZE])
{
	TokenDictionary *dictionary = &known->dictionary;

	TokenDictionaryInit(dictionary, host);
	for (uint32 i = 0; i < SETS; i++)
	{
		dictionary->is_full = dictionary->token_count > most;
		TokenDictionaryAdd(dictionary, sets[i].tokens, sets[i].size, ids[i]);
	}
	known->ranks = JoinAllocate(host, dictionary->token_count + 1, sizeof(uint32));
	known->first_shared = TokenDictionaryRank(dictionary, known->ranks);
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
count_pairs(const Set *sets, Predicate predicate, JoinAlgorithm algorithm, uint32 most)
{
	static uint32 ids[SETS][MAX_SET_SIZE];
	JoinHost host = test_host();
	JoinRecords records;
	JoinEngine engine;
	JoinCounters counters = {0};
	Known known;
	uint64 pairs = 0;

	know_tokens(&known, &host, sets, most, ids);
	JoinRecordsInit(&records, &host);
	records.known_tokens = known.dictionary.token_count;
	records.first_shared_known = known.first_shared;
	records.known_ranks = known.ranks;
	for (uint32 i = 0; i < SETS; i++)
		append_known(&records, i, &sets[i], ids[i]);
	JoinCanonicalize(&records);
	JoinEngineIndex(&engine, &records, NULL, predicate, algorithm);
	JoinEngineFind(&engine, count_pair, &pairs, &counters);
	JoinEngineFree(&engine);
	JoinRecordsFree(&records);
	JoinRelease(&host, known.ranks, known.dictionary.token_count + 1, sizeof(uint32));
	TokenDictionaryFree(&known.dictionary);
	return host.bytes == 0 ? pairs : UINT64_MAX;
}

static uint64
count_by_brute_force(const Set *sets, Predicate predicate)
{
	uint64 pairs = 0;

	for (uint32 i = 0; i < SETS; i++)
	{
		for (uint32 j = 0; j < i; j++)
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

		make_sets(sets, SETS, 20 << random_below(8), seed % 2 == 0,
				  2 + random_below(MAX_SET_SIZE - 1));
		predicate = random_predicate(measures[seed % lengthof(measures)]);
		most = 1 << random_below(12);
		expected = count_by_brute_force(sets, predicate);
		wrong += count_pairs(sets, predicate, algorithms[seed / 3 % lengthof(algorithms)], most) !=
				 expected;
		empty += expected == 0;
	}
	ok(wrong == 0 && enough(empty < 50), "known tokens: joins find what brute force finds");
	return done_testing();
}
