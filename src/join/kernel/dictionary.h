/*
 * dictionary.h
 *		The distinct tokens of a join, numbered, with document frequencies.
 */
#ifndef NEARDUP_JOIN_DICTIONARY_H
#define NEARDUP_JOIN_DICTIONARY_H

#include "join/kernel/host.h"

typedef struct DictionaryEntry
{
	int64 token;
	uint32 document_frequency;
} DictionaryEntry;

typedef struct TokenDictionary
{
	JoinHost *host;
	DictionaryEntry *entries; /* by id: from 1 on, in the order of first sight */
	uint32 token_count;
	uint32 entry_capacity;
	uint32 greatest_frequency; /* in how many records the most frequent token is */
	uint32 *slots;			   /* ids, 0 where free; open addressing, linear probing */
	uint64 slot_count;		   /* a power of two */
	uint64 sparse_slots;	   /* below so many, at most a quarter of them are taken; else half */
} TokenDictionary;

/* The most distinct tokens. */
#define DICTIONARY_MAX_TOKENS (((uint32) 1 << 30) - 1)

/* The most tokens that are looked up at a time. */
#define DICTIONARY_BATCH 256

/* Document frequencies that few tokens have, since each is in so many records. */
#define DICTIONARY_FREQUENT 1024

/* A product that all bits of the token have an influence on; no two tokens have the same. */
static inline uint64
DictionaryHash(int64 token)
{
	uint64 h = (uint64) token;

	h ^= h >> 32;
	return h * UINT64CONST(0x9e3779b97f4a7c15);
}

extern void TokenDictionaryInit(TokenDictionary *dictionary, JoinHost *host);

/* Room for so many more distinct tokens, which then come without arrays that grow. */
extern void TokenDictionaryReserve(TokenDictionary *dictionary, uint32 additional);

/*
 * In a sparse table most tokens are where the search for them begins; where the caches do not hold
 * it anyway, that does not make up for its size.
 */
#define DICTIONARY_SPARSE_SLOTS ((uint64) 1 << 19)

/* Whether so many slots are enough for so many tokens. */
static inline bool
TokenDictionarySlotsSuffice(const TokenDictionary *dictionary, uint64 slot_count, uint64 tokens)
{
	return tokens * (slot_count < dictionary->sparse_slots ? 4 : 2) <= slot_count;
}

/* Whether so many more tokens may need larger arrays. */
static inline bool
TokenDictionaryWouldGrow(const TokenDictionary *dictionary, uint32 additional)
{
	uint64 needed = (uint64) dictionary->token_count + additional;

	return needed >= dictionary->entry_capacity ||
		   !TokenDictionarySlotsSuffice(dictionary, dictionary->slot_count, needed);
}

/* How many slots there will be where so many are enough: more than enough of a sparse table. */
static inline uint64
TokenDictionaryGrownSlots(const TokenDictionary *dictionary, uint64 enough)
{
	return enough < dictionary->sparse_slots ? enough * 2 : enough;
}

/* Bytes that it takes more once it has grown, but for a record of very many tokens. */
static inline uint64
TokenDictionaryGrowthBytes(const TokenDictionary *dictionary)
{
	uint64 slots = TokenDictionaryGrownSlots(dictionary, dictionary->slot_count * 2);

	return (slots - dictionary->slot_count) * sizeof(uint32) +
		   dictionary->entry_capacity / 2 * sizeof(DictionaryEntry);
}

/*
 * Counts the tokens of records, each once for each record that has it, and writes their ids.
 * At most DICTIONARY_BATCH, and no more than DICTIONARY_MAX_TOKENS in all, if all were new.
 */
extern void TokenDictionaryAdd(TokenDictionary *dictionary, const int64 *tokens, uint32 count,
							   uint32 *ids);

/*
 * The document-frequency order: rank_of_id[id] is the place of the token
 * among all, by ascending document frequency, then by DictionaryHash. The caller
 * supplies token_count + 1 elements, of which the first is for no id. Returns the first
 * rank of a token that occurs in more than one record. To be freed is all that is left
 * to do with the dictionary then.
 */
extern uint32 TokenDictionaryRank(TokenDictionary *dictionary, uint32 *rank_of_id);

extern void TokenDictionaryFree(TokenDictionary *dictionary);

#endif
