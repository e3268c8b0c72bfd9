/*
 * dictionary.h
 *		The distinct tokens of a join, with document frequencies.
 */
#ifndef NEARDUP_KERNEL_DICTIONARY_H
#define NEARDUP_KERNEL_DICTIONARY_H

#include "kernel/host.h"

typedef struct DictionaryEntry
{
	int64 token;
	uint32 document_frequency;
} DictionaryEntry;

typedef struct TokenDictionary
{
	JoinHost *host;
	DictionaryEntry *entries; /* by id, from 1 on */
	uint32 token_count;
	uint32 entry_capacity;
	uint32 *slots;	   /* ids, 0 where free; linear probing */
	uint64 slot_count; /* a power of two */
} TokenDictionary;

#define DICTIONARY_MAX_TOKENS (((uint32) 1 << 30) - 1)

/* Most tokens looked up at once. */
#define DICTIONARY_BATCH 256

/* From this document frequency on, tokens are few and sorted by themselves. */
#define DICTIONARY_FREQUENT 1024

/* A bijection: no two tokens have one hash. */
static inline uint64
DictionaryHash(int64 token)
{
	uint64 h = (uint64) token;

	h ^= h >> 32;
	return h * UINT64CONST(0x9e3779b97f4a7c15);
}

extern void TokenDictionaryInit(TokenDictionary *dictionary, JoinHost *host);

extern void TokenDictionaryReserve(TokenDictionary *dictionary, uint32 additional);

/* Whether more tokens may need larger arrays. At most half of the slots are taken. */
static inline bool
TokenDictionaryWouldGrow(const TokenDictionary *dictionary, uint32 additional)
{
	uint64 needed = (uint64) dictionary->token_count + additional;

	return needed >= dictionary->entry_capacity || needed * 2 > dictionary->slot_count;
}

/* Bytes of the next growth, unless a record has very many tokens. */
static inline uint64
TokenDictionaryGrowthBytes(const TokenDictionary *dictionary)
{
	return dictionary->slot_count * sizeof(uint32) +
		   dictionary->entry_capacity / 2 * sizeof(DictionaryEntry);
}

/*
 * Counts tokens and writes their ids: at most DICTIONARY_BATCH, and DICTIONARY_MAX_TOKENS in all
 * even if each is new.
 */
extern void TokenDictionaryAdd(TokenDictionary *dictionary, const int64 *tokens, uint32 count,
							   uint32 *ids);

/*
 * Ranks tokens by document frequency, then DictionaryHash; rank_of_id has token_count + 1 elements.
 * Returns the first rank that several records have. Afterwards only TokenDictionaryFree is allowed.
 */
extern uint32 TokenDictionaryRank(TokenDictionary *dictionary, uint32 *rank_of_id);

extern void TokenDictionaryFree(TokenDictionary *dictionary);

#endif
