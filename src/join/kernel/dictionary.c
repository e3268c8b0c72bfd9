/*
 * dictionary.c
 *		Numbering tokens while records arrive.
 *
 * Tokens are 64 bits wide, and a join looks at them only to tell them apart
 * and to order them. So each is replaced on arrival by a 32-bit number, and
 * the document frequency is counted in the same slot of the hash table: one
 * cache miss a token. When all records are in, the numbers become ranks in
 * document-frequency order; ties go by the token's value, so that ranks, and
 * with them every counter of the join, do not depend on the order of arrival.
 */
#include "c.h"

#include "join/kernel/dictionary.h"

#define INITIAL_SLOTS 256
#define LOOKAHEAD 16

/* The finalizer of MurmurHash3: integer tokens come in arithmetic progressions. */
static inline uint64
slot_hash(int64 token)
{
	uint64 h = (uint64) token;

	h ^= h >> 33;
	h *= UINT64CONST(0xff51afd7ed558ccd);
	h ^= h >> 33;
	h *= UINT64CONST(0xc4ceb9fe1a85ec53);
	h ^= h >> 33;
	return h;
}

void
TokenDictionaryInit(TokenDictionary *dictionary, JoinHost *host)
{
	dictionary->host = host;
	dictionary->slot_count = INITIAL_SLOTS;
	dictionary->slots = JoinAllocateZero(host, INITIAL_SLOTS, sizeof(DictionaryEntry));
	dictionary->token_count = 0;
	dictionary->greatest_frequency = 0;
}

/* The slot of the token, or the free one where it belongs. */
static inline DictionaryEntry *
find_slot(DictionaryEntry *slots, uint64 mask, uint64 hash, int64 token)
{
	uint64 place = hash & mask;

	while (slots[place].number != 0 && slots[place].token != token)
		place = (place + 1) & mask;
	return &slots[place];
}

/* Room for so many more tokens with at most two thirds of the slots taken. */
static void
reserve(TokenDictionary *dictionary, uint32 additional)
{
	uint64 needed = (uint64) dictionary->token_count + additional;
	uint64 slot_count = dictionary->slot_count;
	DictionaryEntry *slots;

	if (!TokenDictionaryWouldGrow(dictionary, additional))
		return;
	while (needed * 3 > slot_count * 2)
		slot_count *= 2;
	slots = JoinAllocateZero(dictionary->host, slot_count, sizeof(DictionaryEntry));
	for (uint64 i = 0; i < dictionary->slot_count; i++)
	{
		DictionaryEntry *entry = &dictionary->slots[i];

		JoinTick(dictionary->host, 1);
		if (entry->number != 0)
			*find_slot(slots, slot_count - 1, slot_hash(entry->token), entry->token) = *entry;
	}
	JoinRelease(dictionary->host, dictionary->slots, dictionary->slot_count,
				sizeof(DictionaryEntry));
	dictionary->slots = slots;
	dictionary->slot_count = slot_count;
}

/* A few tokens, whose slots are asked for before the first is needed. */
static void
add_tokens(TokenDictionary *dictionary, const char *tokens, uint32 count, uint32 *ids)
{
	DictionaryEntry *slots = dictionary->slots;
	uint64 mask = dictionary->slot_count - 1;
	int64 token[LOOKAHEAD];
	uint64 hash[LOOKAHEAD];
	uint32 greatest = dictionary->greatest_frequency;

	memcpy(token, tokens, count * sizeof(int64));
	for (uint32 i = 0; i < count; i++)
	{
		hash[i] = slot_hash(token[i]);
		__builtin_prefetch(&slots[hash[i] & mask], 1);
	}
	for (uint32 i = 0; i < count; i++)
	{
		DictionaryEntry *entry = find_slot(slots, mask, hash[i], token[i]);

		if (entry->number == 0)
		{
			entry->token = token[i];
			entry->number = ++dictionary->token_count;
		}
		entry->document_frequency++;
		greatest = Max(greatest, entry->document_frequency);
		ids[i] = entry->number - 1;
	}
	dictionary->greatest_frequency = greatest;
}

bool
TokenDictionaryAddRecord(TokenDictionary *dictionary, const void *tokens, uint32 count, uint32 *ids)
{
	for (uint32 done = 0; done < count; done += LOOKAHEAD)
	{
		uint32 step = Min(LOOKAHEAD, count - done);

		if (step > DICTIONARY_MAX_TOKENS - dictionary->token_count)
			return false;
		reserve(dictionary, step);
		add_tokens(dictionary, (const char *) tokens + (Size) done * sizeof(int64), step,
				   ids + done);
		JoinTick(dictionary->host, step);
	}
	return true;
}

static inline int
compare_entries(const DictionaryEntry *a, const DictionaryEntry *b, JoinHost *host)
{
	JoinTick(host, 1);
	if (a->document_frequency != b->document_frequency)
		return a->document_frequency < b->document_frequency ? -1 : 1;
	return a->token < b->token ? -1 : a->token > b->token;
}

#define ST_SORT sort_entries
#define ST_ELEMENT_TYPE DictionaryEntry
#define ST_COMPARE(a, b, host) compare_entries(a, b, host)
#define ST_COMPARE_ARG_TYPE JoinHost
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

uint32
TokenDictionaryRank(TokenDictionary *dictionary, uint32 *rank_of_id)
{
	JoinHost *host = dictionary->host;
	DictionaryEntry *entries = JoinAllocate(host, dictionary->token_count, sizeof(DictionaryEntry));
	uint32 count = 0;
	uint32 single = 0;

	for (uint64 i = 0; i < dictionary->slot_count; i++)
	{
		JoinTick(host, 1);
		if (dictionary->slots[i].number != 0)
			entries[count++] = dictionary->slots[i];
	}
	sort_entries(entries, count, host);
	for (uint32 rank = 0; rank < count; rank++)
	{
		JoinTick(host, 1);
		rank_of_id[entries[rank].number - 1] = rank;
		single += entries[rank].document_frequency == 1;
	}
	JoinRelease(host, entries, dictionary->token_count, sizeof(DictionaryEntry));
	return single;
}

void
TokenDictionaryTokens(const TokenDictionary *dictionary, int64 *token_of_id)
{
	for (uint64 i = 0; i < dictionary->slot_count; i++)
	{
		JoinTick(dictionary->host, 1);
		if (dictionary->slots[i].number != 0)
			token_of_id[dictionary->slots[i].number - 1] = dictionary->slots[i].token;
	}
}

void
TokenDictionaryFree(TokenDictionary *dictionary)
{
	JoinRelease(dictionary->host, dictionary->slots, dictionary->slot_count,
				sizeof(DictionaryEntry));
	dictionary->slots = NULL;
	dictionary->slot_count = 0;
}
