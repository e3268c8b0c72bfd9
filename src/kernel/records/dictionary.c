/*
 * dictionary.c
 *		Numbering tokens while records arrive.
 *
 * A token of 64 bits gets an id of 32 bits when it first arrives. In the end each id gets a rank,
 * in the order of document frequency. Tokens with the same frequency are in the order of their
 * hashes, so that ranks do not depend on the order of arrival.
 *
 * The slots of the hash table have ids alone. Tokens and frequencies are in an array by id.
 * Frequent tokens arrive early, so their entries are neighbours, and stay in the cache.
 *
 * A token's slot is given by the leading bits of its hash, or is the next free one. So the slots
 * are nearly in the order of hashes, and ranking need not sort: it closes the gaps and lets an
 * insertion sort do the rest. Then it deals out the ranks by frequency, as a counting sort does.
 */
#include "c.h"

#include "port/pg_bitutils.h"
#include "kernel/records/dictionary.h"
#include "kernel/records/key_sort.h"

#define INITIAL_SLOTS 256
#define INITIAL_ENTRIES 128

/* How many entries ahead loops prefetch. */
#define ENTRIES_AHEAD 16

/* Returns the slot at which the search for a token begins. */
static inline uint64
home_slot(int64 token, int shift)
{
	return DictionaryHash(token) >> shift;
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
	dictionary->slots = JoinAllocateZero(host, INITIAL_SLOTS, sizeof(uint32));
	dictionary->slot_count = INITIAL_SLOTS;
	dictionary->is_full = false;
}

static void
release_slots(TokenDictionary *dictionary)
{
	JoinRelease(dictionary->host, dictionary->slots, dictionary->slot_count, sizeof(uint32));
	dictionary->slots = NULL;
	dictionary->slot_count = 0;
}

/* Puts all ids into empty slots. Frequent tokens come first, and so get their home slots. */
static void
fill_slots(TokenDictionary *dictionary)
{
	uint32 *slots = dictionary->slots;
	uint64 mask = dictionary->slot_count - 1;
	int shift = shift_of(dictionary);

	for (uint32 id = 1; id <= dictionary->token_count; id++)
	{
		uint64 home = home_slot(dictionary->entries[id].token, shift);
		uint64 place = home;

		while (slots[place] != 0)
			place = (place + 1) & mask;
		slots[place] = id;
		JoinTick(dictionary->host, 1 + ((place - home) & mask));
	}
}

void
TokenDictionaryReserve(TokenDictionary *dictionary, uint32 additional)
{
	uint64 needed = (uint64) dictionary->token_count + additional;
	uint64 slot_count = dictionary->slot_count;
	uint32 capacity = dictionary->entry_capacity;

	if (!TokenDictionaryWouldGrow(dictionary, additional))
		return;
	if (capacity <= needed)
		capacity = Max(needed + 1, capacity + capacity / 2);
	if (capacity > dictionary->entry_capacity)
		dictionary->entries =
			JoinEnlarge(dictionary->host, dictionary->entries, dictionary->entry_capacity, capacity,
						sizeof(DictionaryEntry));
	dictionary->entry_capacity = capacity;

	while (needed * 2 > slot_count)
		slot_count *= 2;
	if (slot_count == dictionary->slot_count)
		return;
	release_slots(dictionary);
	dictionary->slots = JoinAllocateZero(dictionary->host, slot_count, sizeof(uint32));
	dictionary->slot_count = slot_count;
	fill_slots(dictionary);
}

/* Only one of the arrays grew last, though room for both was asked for. */
uint64
TokenDictionaryBytes(uint64 token_count)
{
	uint64 slot_count = INITIAL_SLOTS;
	uint64 capacity = DICTIONARY_BATCH + 1;

	while (token_count * 2 > slot_count)
		slot_count *= 2;
	while (capacity <= token_count)
		capacity += capacity / 2;
	return slot_count * sizeof(uint32) + capacity * sizeof(DictionaryEntry) +
		   Max(slot_count * sizeof(uint32), capacity / 2 * sizeof(DictionaryEntry));
}

/*
 * The first loop prefetches the slots, the second the entries, and the third looks the tokens up,
 * so that the processor waits for all tokens of the batch at once.
 */
void
TokenDictionaryAdd(TokenDictionary *dictionary, const int64 *tokens, uint32 count, uint32 *ids)
{
	uint32 *slots;
	DictionaryEntry *entries;
	uint64 mask;
	int shift;
	uint32 home[DICTIONARY_BATCH];

	if (!dictionary->is_full)
		TokenDictionaryReserve(dictionary, count);
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
		__builtin_prefetch(&entries[ids[i]], 1);
	}
	for (uint32 i = 0; i < count; i++)
	{
		uint32 id = ids[i];

		if (id == 0 || entries[id].token != tokens[i])
		{
			uint64 place = home[i];

			while ((id = slots[place]) != 0 && entries[id].token != tokens[i])
				place = (place + 1) & mask;
			if (id == 0 && dictionary->is_full)
			{
				JoinTick(dictionary->host, (place - home[i]) & mask);
				ids[i] = 0;
				continue;
			}
			if (id == 0)
			{
				id = slots[place] = ++dictionary->token_count;
				entries[id] = (DictionaryEntry){.token = tokens[i]};
				__builtin_prefetch(&entries[id + ENTRIES_AHEAD], 1);
			}
			ids[i] = id;
			/* Someone may have chosen tokens that collide, which makes searches long. */
			JoinTick(dictionary->host, (place - home[i]) & mask);
		}
		entries[id].document_frequency++;
	}
	JoinTick(dictionary->host, count);
}

static inline uint64
hash_of_id(const TokenDictionary *dictionary, uint32 id)
{
	return DictionaryHash(dictionary->entries[id].token);
}

/*
 * Moves the ids to the first slots. They are then nearly in the order of hashes, since tokens
 * between two free slots have their home slots there. Only the slots at the beginning may also have
 * tokens from the end of the table, where the search wrapped around; these go last.
 */
static void
close_gaps(TokenDictionary *dictionary)
{
	JoinHost *host = dictionary->host;
	uint32 *slots = dictionary->slots;
	uint64 half = dictionary->slot_count / 2;
	int shift = shift_of(dictionary);
	uint32 first = 0;
	uint32 count = 0;
	uint32 *beginning;

	while (slots[first] != 0)
		first++;
	beginning = JoinAllocate(host, first, sizeof(uint32));
	memcpy(beginning, slots, first * sizeof(uint32));
	for (uint32 i = 0; i < first; i++)
	{
		JoinTick(host, 1);
		slots[count] = beginning[i];
		count += hash_of_id(dictionary, beginning[i]) >> shift < half;
	}
	for (uint64 place = first; place < dictionary->slot_count; place++)
	{
		slots[count] = slots[place];
		count += slots[place] != 0;
	}
	for (uint32 i = 0; i < first; i++)
	{
		JoinTick(host, 1);
		slots[count] = beginning[i];
		count += hash_of_id(dictionary, beginning[i]) >> shift >= half;
	}
	JoinRelease(host, beginning, first, sizeof(uint32));
}

/*
 * Sorts the ids, which nearly are in the order of hashes, by insertion. Also writes their
 * frequencies.
 */
static void
sort_by_hash(TokenDictionary *dictionary, uint32 *frequencies)
{
	const DictionaryEntry *entries = dictionary->entries;
	uint32 *ids = dictionary->slots;
	uint32 count = dictionary->token_count;
	uint64 greatest = 0;

	for (uint32 i = 0; i < count; i++)
	{
		uint32 id = ids[i];
		uint64 hash = hash_of_id(dictionary, id);
		uint32 place = i;

		if (i + ENTRIES_AHEAD < count)
			__builtin_prefetch(&entries[ids[i + ENTRIES_AHEAD]]);
		if (hash < greatest)
		{
			for (; place > 0 && hash_of_id(dictionary, ids[place - 1]) > hash; place--)
			{
				ids[place] = ids[place - 1];
				frequencies[place] = frequencies[place - 1];
			}
			ids[place] = id;
			JoinTick(dictionary->host, i - place);
		}
		greatest = Max(greatest, hash);
		frequencies[place] = entries[id].document_frequency;
	}
	JoinTick(dictionary->host, count);
}

static int
compare_hashes(uint64 a, uint64 b, void *context)
{
	uint64 x = hash_of_id(context, a);
	uint64 y = hash_of_id(context, b);

	return x < y ? -1 : x > y;
}

/* Ranks the tokens from DICTIONARY_FREQUENT on; `first` is the rank of the least frequent one. */
static void
rank_frequent(TokenDictionary *dictionary, KeyedItem *frequent, uint32 count, uint32 first,
			  uint32 *rank_of_id)
{
	KeySort(frequent, count, compare_hashes, dictionary, dictionary->host);
	for (uint32 i = 0; i < count; i++)
		rank_of_id[frequent[i].item] = first + i;
}

/*
 * Writes the first rank of each document frequency; DICTIONARY_FREQUENT and all greater frequencies
 * share one entry.
 */
static void
first_ranks(const uint32 *frequencies, uint32 token_count, uint32 ranks[DICTIONARY_FREQUENT + 1])
{
	uint32 so_far = 0;

	memset(ranks, 0, (DICTIONARY_FREQUENT + 1) * sizeof(uint32));
	for (uint32 i = 0; i < token_count; i++)
		ranks[Min(frequencies[i], DICTIONARY_FREQUENT)]++;
	for (uint32 i = 0; i <= DICTIONARY_FREQUENT; i++)
	{
		uint32 count = ranks[i];

		ranks[i] = so_far;
		so_far += count;
	}
}

/*
 * Gives each id, in the order of hashes, the next rank of its frequency. The second half of the
 * slots, which is free, holds the frequencies.
 */
uint32
TokenDictionaryRank(TokenDictionary *dictionary, uint32 *rank_of_id)
{
	JoinHost *host = dictionary->host;
	const uint32 *ids = dictionary->slots;
	uint32 count = dictionary->token_count;
	uint32 *frequencies = dictionary->slots + count;
	uint32 next[DICTIONARY_FREQUENT + 1];
	uint32 first_shared;
	uint32 first_frequent;
	uint32 frequent_count = 0;
	KeyedItem *frequent;

	close_gaps(dictionary);
	sort_by_hash(dictionary, frequencies);
	first_ranks(frequencies, count, next);
	first_shared = next[2];
	first_frequent = next[DICTIONARY_FREQUENT];
	frequent = JoinAllocate(host, count - first_frequent, sizeof(KeyedItem));
	for (uint32 i = 0; i < count; i++)
	{
		uint32 frequency = frequencies[i];

		if (frequency < DICTIONARY_FREQUENT)
			rank_of_id[ids[i]] = next[frequency]++;
		else
			frequent[frequent_count++] = (KeyedItem){.key = frequency, .item = ids[i]};
	}
	rank_frequent(dictionary, frequent, frequent_count, first_frequent, rank_of_id);
	JoinRelease(host, frequent, count - first_frequent, sizeof(KeyedItem));
	release_slots(dictionary);
	return first_shared;
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
