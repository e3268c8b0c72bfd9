/*
 * format_hash.h
 *		The hash functions that are part of an index's format (format.h).
 *
 * An index on disk depends on their values. Other functions are another format, and need another
 * INDEX_VERSION.
 */
#ifndef NEARDUP_INDEX_FORMAT_HASH_H
#define NEARDUP_INDEX_FORMAT_HASH_H

#include "text/tokens.h"

/*
 * The order of an index's tokens: dictionaries ascend by this hash, and it decides the order of
 * tokens with the same frequency. No two tokens have the same hash.
 */
static inline uint64
IndexTokenHash(Token token)
{
	uint64 h = (uint64) token;

	h ^= h >> 32;
	return h * UINT64CONST(0x9e3779b97f4a7c15);
}

/*
 * Returns the bucket of a token with this hash, by the upper 32 bits of the hash as a fraction of
 * 2^32. So the buckets ascend with the hash, and reading them one after the other gives all entries
 * in the order of the hash.
 */
static inline uint32
IndexBucket(uint64 hash, uint32 buckets)
{
	return (uint32) ((hash >> 32) * buckets >> 32);
}

/* Returns the bit of a token, below 64 * words; words is a power of two. */
static inline uint32
IndexSignatureBit(Token token, uint32 words)
{
	uint64 h = (uint64) token;

	h ^= h >> 29;
	h *= UINT64CONST(0xbf58476d1ce4e5b9);
	return (uint32) (h >> 32) & (64 * words - 1);
}

/* Returns 64 well mixed bits: the finalizer of splitmix64. It is one-to-one. */
static inline uint64
IndexMix(uint64 h)
{
	h = (h ^ h >> 30) * UINT64CONST(0xbf58476d1ce4e5b9);
	h = (h ^ h >> 27) * UINT64CONST(0x94d049bb133111eb);
	return h ^ h >> 31;
}

/*
 * Returns the salt of a scope with one more column, of which `hash` is the value's hash; `salt` is
 * that of the columns before, 0 for the first. The order of the columns counts.
 */
static inline uint64
IndexScopeSalt(uint64 salt, uint64 hash)
{
	return IndexMix(IndexMix(salt + UINT64CONST(0x9e3779b97f4a7c15)) ^ hash);
}

/*
 * Returns the token that stands for `token` in the scope of this salt. Within a scope no two tokens
 * become the same one. Mixing before and after keeps scopes apart whose salts, or tokens, differ in
 * few bits.
 */
static inline Token
IndexSaltToken(uint64 salt, Token token)
{
	return (Token) IndexMix(IndexMix((uint64) token) ^ salt);
}

/* The token that each row of an index with scopes has in addition to its own, salted like them. */
#define INDEX_SCOPE_TOKEN INT64CONST(0x6e65617264757073)

#endif
