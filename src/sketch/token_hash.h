/*
 * token_hash.h
 *		The hash of a token, from which sketches are made.
 *
 * An integer token is the integer itself, whose bits are not random. The hash is the XXH3-64 of the 8
 * bytes in little-endian order, inlined so that only the arithmetic for 8 bytes remains.
 */
#ifndef NEARDUP_SKETCH_TOKEN_HASH_H
#define NEARDUP_SKETCH_TOKEN_HASH_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "port/pg_bswap.h"

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
