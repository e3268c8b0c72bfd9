/*
 * dictionary.c
 *		Numbering tokens while records arrive.
 *
 * Tokens are 64 bits wide, and a join looks at them only to tell them apart
 * and to order them. So each is replaced on arrival by a 32-bit number, and
 * its document frequency is counted. When all records are in, the numbers
 * become ranks in document-frequency order; ties go by the token's value, so
 * that ranks, and with them every counter of the join, do not depend on the
 * order of arrival.
 *
 * The hash table holds numbers only. What it is compared by, and counted in,
 * stands in an array in the order of first sight, where the frequent tokens
 * are neighbours, since they come early. So two small areas are looked at most
 * of the time: a large slot for each token would have a cache line for itself.
 */
#include "c.h"

#include "port/pg_bitutils.h"
#include "join/kernel/dictionary.h"
#include "join/kernel/key_sort.h"

#define INITIAL_SLOTS 256
#define INITIAL_ENTRIES 128

/*
 * Where the search for a token begins: the upper bits of a product that all
 * bits of the token have an influence on.
 */
static inline uint64
home_slot(int64 token, int shift)
{
	uint64 h = (uint64) token;

	h ^= h >> 32;
	return (h * UINT64CONST(0x9e3779b97f4a7c15)) >> shift;
}

static inline int
shift_of(const TokenDictionary *dictionary)
{
	return 64 - pg_leftmost_one_pos64(dictionary->slot_count);
}

void
TokenDictionaryInit(TokenDictionary *dictionary, JoinHost *host)
{
	dictionary->host = host;
	dictionary->entries = JoinAllocate(host, INITIAL_ENTRIES, sizeof(DictionaryEntry));
	dictionary->token_count = 0;
	dictionary->entry_capacity = INITIAL_ENTRIES;
	dictionary->greatest_frequency = 0;
	dictionary->slots = JoinAllocateZero(host, INITIAL_SLOTS, sizeof(uint32));
	dictionary->slot_count = INITIAL_SLOTS;
}

static void
release_slots(TokenDictionary *dictionary)
{
	JoinRelease(dictionary->host, dictionary->slots, dictionary->slot_count, sizeof(uint32));
	dictionary->slots = NULL;
	dictionary->slot_count = 0;
}

/* All slots anew, in the order of first sight: so a frequent token is where its search begins. */
static void
fill_slots(TokenDictionary *dictionary)
{
	uint32 *slots = dictionary->slots;
	uint64 mask = dictionary->slot_count - 1;
	int shift = shift_of(dictionary);

	for (uint32 id = 0; id < dictionary->token_count; id++)
	{
		uint64 home = home_slot(dictionary->entries[id].token, shift);
		uint64 place = home;

		while (slots[place] != 0)
			place = (place + 1) & mask;
		slots[place] = id + 1;
		JoinTick(dictionary->host, 1 + ((place - home) & mask));
	}
}

/* Room for so many more tokens with at most half of the slots taken. */
static void
reserve(TokenDictionary *dictionary, uint32 additional)
{
	uint64 needed = (uint64) dictionary->token_count + additional;
	uint64 slot_count = dictionary->slot_count;
	uint32 capacity = dictionary->entry_capacity;

	if (!TokenDictionaryWouldGrow(dictionary, additional))
		return;
	while (capacity < needed)
		capacity += capacity / 2;
	if (capacity > dictionary->entry_capacity)
		dictionary->entries =
			JoinEnlarge(dictionary->host, dictionary->entries, dictionary->entry_capacity, capacity,
						sizeof(DictionaryEntry));
	dictionary->entry_capacity = capacity;

	while (slot_count < needed * 2)
		slot_count *= 2;
	if (slot_count == dictionary->slot_count)
		return;
	release_slots(dictionary);
	dictionary->slots = JoinAllocateZero(dictionary->host, slot_count, sizeof(uint32));
	dictionary->slot_count = slot_count;
	fill_slots(dictionary);
}

/*
 * Three loops, each of which asks for the memory that the next one looks at: so it
 * is fetched for many tokens at a time.
 */
void
TokenDictionaryAdd(TokenDictionary *dictionary, const int64 *tokens, uint32 count, uint32 *ids)
{
	uint32 *slots;
	DictionaryEntry *entries;
	uint64 mask;
	int shift;
	uint32 home[DICTIONARY_BATCH];
	uint32 greatest = dictionary->greatest_frequency;

	reserve(dictionary, count);
	slots = dictionary->slots;
	entries = dictionary->entries;
	mask = dictionary->slot_count - 1;
	shift = shift_of(dictionary);
	for (uint32 i = 0; i < count; i++)
	{
		home[i] = home_slot(tokens[i], shift);
		__builtin_prefetch(&slots[home[i]], 1);
	}
	for (uint32 i = 0; i < count; i++)
	{
		ids[i] = slots[home[i]];
		__builtin_prefetch(&entries[Max(ids[i], 1) - 1], 1);
	}
	for (uint32 i = 0; i < count; i++)
	{
		uint32 number = ids[i];

		if (number == 0 || entries[number - 1].token != tokens[i])
		{
			uint64 place = home[i];

			while ((number = slots[place]) != 0 && entries[number - 1].token != tokens[i])
				place = (place + 1) & mask;
			if (number == 0)
			{
				number = slots[place] = ++dictionary->token_count;
				entries[number - 1] = (DictionaryEntry){.token = tokens[i]};
			}
			/* There are many, where tokens were chosen to collide. */
			JoinTick(dictionary->host, (place - home[i]) & mask);
		}
		entries[number - 1].document_frequency++;
		greatest = Max(greatest, entries[number - 1].document_frequency);
		ids[i] = number - 1;
	}
	dictionary->greatest_frequency = greatest;
	JoinTick(dictionary->host, count);
}

static int
compare_entries(uint32 a, uint32 b, void *context)
{
	const DictionaryEntry *entries = context;
	const DictionaryEntry *x = &entries[a];
	const DictionaryEntry *y = &entries[b];

	if (x->document_frequency != y->document_frequency)
		return x->document_frequency < y->document_frequency ? -1 : 1;
	return x->token < y->token ? -1 : x->token > y->token;
}

/*
 * By document frequency and token: of the token, less the least one, as many
 * of the upper bits as the key has place for.
 */
static void
make_keys(const TokenDictionary *dictionary, KeyedItem *items)
{
	const DictionaryEntry *entries = dictionary->entries;
	uint32 count = dictionary->token_count;
	int64 least = PG_INT64_MAX;
	int64 greatest = PG_INT64_MIN;
	uint32 most_frequent = 0;
	int token_bits;
	int dropped_bits;

	for (uint32 id = 0; id < count; id++)
	{
		JoinStrideTick(dictionary->host, id);
		least = Min(least, entries[id].token);
		greatest = Max(greatest, entries[id].token);
		most_frequent = Max(most_frequent, entries[id].document_frequency);
	}
	token_bits = 64 - KeyBits(most_frequent);
	dropped_bits = Max(KeyBits((uint64) greatest - (uint64) least) - token_bits, 0);
	for (uint32 id = 0; id < count; id++)
	{
		uint64 token = (uint64) entries[id].token - (uint64) least;

		JoinStrideTick(dictionary->host, id);
		items[id].key =
			(uint64) entries[id].document_frequency << token_bits | token >> dropped_bits;
		items[id].item = id;
	}
}

uint32
TokenDictionaryRank(TokenDictionary *dictionary, uint32 *rank_of_id)
{
	JoinHost *host = dictionary->host;
	uint32 count = dictionary->token_count;
	uint32 single = 0;
	KeyedItem *items;

	release_slots(dictionary);
	items = JoinAllocate(host, count, sizeof(KeyedItem));
	make_keys(dictionary, items);
	KeySort(items, count, compare_entries, dictionary->entries, host);
	for (uint32 rank = 0; rank < count; rank++)
	{
		JoinStrideTick(host, rank);
		rank_of_id[items[rank].item] = rank;
		single += dictionary->entries[rank].document_frequency == 1;
	}
	JoinRelease(host, items, count, sizeof(KeyedItem));
	return single;
}

void
TokenDictionaryFree(TokenDictionary *dictionary)
{
	JoinRelease(dictionary->host, dictionary->entries, dictionary->entry_capacity,
				sizeof(DictionaryEntry));
	release_slots(dictionary);
	dictionary->entries = NULL;
	dictionary->entry_capacity = 0;
	dictionary->token_count = 0;
}
