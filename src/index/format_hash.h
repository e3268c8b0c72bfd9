/*
 * format_hash.h
 *		The hash functions that are part of an index's format (format.h).
 *
 * An index on disk depends on their values, and, if it has scopes, on the hash functions of
 * scope/salt.h. Other functions are another format, and need another INDEX_VERSION.
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

#endif
