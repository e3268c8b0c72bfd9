/*
 * dictionary_test.c
 *		The size of the table of tokens, and what it does when it is full.
 */
#include "c.h"

#include "kernel/records/dictionary.h"
#include "kernel_test.h"
#include "test_host.h"

/* Slots of a table of so many tokens. */
static uint64
slots_of_table(uint32 count)
{
	JoinHost host = test_host();
	TokenDictionary dictionary;
	uint64 slots;

	TokenDictionaryInit(&dictionary, &host);
	for (uint32 i = 0; i < count; i++)
	{
		int64 token = random_bits();
		uint32 id;

		TokenDictionaryAdd(&dictionary, &token, 1, &id);
	}
	slots = dictionary.slot_count;
	TokenDictionaryFree(&dictionary);
	return slots;
}

/* Gives 100 tokens ids, makes the table full, and adds 200 tokens of which every other is new. */
static void
test_full_table(void)
{
	JoinHost host = test_host();
	TokenDictionary dictionary;
	int64 tokens[200];
	uint32 ids[200];
	uint32 wrong = 0;

	TokenDictionaryInit(&dictionary, &host);
	for (int i = 0; i < 200; i++)
		tokens[i] = random_bits();
	for (int i = 0; i < 200; i += 2)
		TokenDictionaryAdd(&dictionary, &tokens[i], 1, &ids[i]);
	dictionary.is_full = true;
	TokenDictionaryAdd(&dictionary, tokens, 200, ids);
	for (uint32 i = 0; i < 200; i++)
		wrong += ids[i] != (i % 2 == 0 ? i / 2 + 1 : 0);
	for (uint32 id = 1; id <= dictionary.token_count; id++)
		wrong += dictionary.entries[id].document_frequency != 2;
	ok(wrong == 0 && dictionary.token_count == 100,
	   "full table of tokens: counts those that it has, and leaves out all others");
	TokenDictionaryFree(&dictionary);
}

int
main(void)
{
	test_full_table();
	ok(slots_of_table(1024) == 2048 && slots_of_table(1025) == 4096,
	   "table of tokens: at most half of the slots are taken");
	return done_testing();
}
