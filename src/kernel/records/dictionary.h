/*
 * dictionary.h
 *		The distinct tokens of a join, with document frequencies.
 *
 * Order of calls: TokenDictionaryInit; TokenDictionaryAdd for all tokens; TokenDictionaryRank at
 * most once; TokenDictionaryFree.
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
	DictionaryEntry *entries; /* entries[id] is the entry of token id; ids begin at 1 */
	uint32 token_count;
	uint32 entry_capacity;
	uint32 *slots;	   /* ids, 0 where free; linear probing */
	uint64 slot_count; /* a power of two */
	bool is_full;	   /* whether tokens that are not in it yet are left out */
} TokenDictionary;

#define DICTIONARY_MAX_TOKENS (((uint32) 1 << 30) - 1)

/* TokenDictionaryAdd takes at most so many tokens at once. */
#define DICTIONARY_BATCH 256

/* There are few tokens of at least this document frequency, and they are ranked apart. */
#define DICTIONARY_FREQUENT 1024

/*
 * The hash of a token, which decides the order of tokens with the same document frequency. No two
 * tokens have the same hash. The order lives as long as the join: what is on disk must not use it.
 */
static inline uint64
DictionaryHash(int64 token)
{
	uint64 h = (uint64) token;

	h ^= h >> 32;
	return h * UINT64CONST(0x9e3779b97f4a7c15);
}

extern void TokenDictionaryInit(TokenDictionary *dictionary, JoinHost *host);

/* Ensures room for `additional` tokens that are new. */
extern void TokenDictionaryReserve(TokenDictionary *dictionary, uint32 additional);

/*
 * Whether `additional` tokens need larger arrays if all are new. At most half of the slots are
 * taken.
 */
static inline bool
TokenDictionaryWouldGrow(const TokenDictionary *dictionary, uint32 additional)
{
	uint64 needed = (uint64) dictionary->token_count + additional;

	return needed >= dictionary->entry_capacity || needed * 2 > dictionary->slot_count;
}

/* Returns the bytes by which the arrays grow next, unless a record has very many tokens. */
static inline uint64
TokenDictionaryGrowthBytes(const TokenDictionary *dictionary)
{
	return dictionary->slot_count * sizeof(uint32) +
		   dictionary->entry_capacity / 2 * sizeof(DictionaryEntry);
}

/*
 * Returns the most bytes that a dictionary has taken until it has this many tokens, with those by
 * which it would have grown next (TokenDictionaryGrowthBytes).
 */
extern uint64 TokenDictionaryBytes(uint64 token_count);

/*
 * Counts an occurrence of each token, and writes the tokens' ids; those that a full dictionary
 * leaves out are 0. `count` is at most
 * DICTIONARY_BATCH. The caller ensures that there would be at most DICTIONARY_MAX_TOKENS if all
 * were new.
 */
extern void TokenDictionaryAdd(TokenDictionary *dictionary, const int64 *tokens, uint32 count,
							   uint32 *ids);

/*
 * Ranks tokens by document frequency, then by DictionaryHash, and writes the ranks by id;
 * rank_of_id has token_count + 1 elements. Returns the first rank that several records have. The
 * entries stay, but nothing can be added afterwards.
 */
extern uint32 TokenDictionaryRank(TokenDictionary *dictionary, uint32 *rank_of_id);

extern void TokenDictionaryFree(TokenDictionary *dictionary);

#endif
