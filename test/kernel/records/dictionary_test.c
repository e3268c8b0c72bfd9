/*
 * dictionary_test.c
 *		The size of the table of tokens.
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

int
main(void)
{
	ok(slots_of_table(1024) == 2048 && slots_of_table(1025) == 4096,
	   "table of tokens: at most half of the slots are taken");
	return done_testing();
}
