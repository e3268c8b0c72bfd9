/*
 * token_hash.h
 *		The hash of a token, from which sketches and hash tables are made.
 *
 * The token of a word is a hash already, but the token of an integer is the integer itself, whose
 * bits are anything but random. So every token is hashed once more: the XXH3-64 of its 8 bytes in
 * little-endian order. It is inlined, so that only the arithmetic for 8 bytes remains of it.
 */
#ifndef NEARDUP_SKETCH_TOKEN_HASH_H
#define NEARDUP_SKETCH_TOKEN_HASH_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "port/pg_bswap.h"

/* Returns the hash of a token, which is the same on every platform. */
static pg_attribute_always_inline uint64
TokenHash(int64 token, uint64 seed)
{
	uint64 bytes = (uint64) token;

#ifdef WORDS_BIGENDIAN
	bytes = pg_bswap64(bytes);
#endif
	return XXH3_64bits_withSeed(&bytes, sizeof(bytes), seed);
}

#endif
