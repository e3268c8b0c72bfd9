/*
 * token_hash.h
 *		The hash of a token, from which sketches are made.
 *
 * A text token is a hash already, but an integer token is the integer itself,
 * whose bits are anything but random: so a sketch never takes a token's raw bits.
 * It takes the XXH3-64, with a seed, of the token's 8 bytes, the least significant
 * first, which is the same on every platform.
 *
 * xxHash is compiled in where this header is included: of a function for bytes
 * of any number, nothing remains but the arithmetic for 8, a nanosecond's worth.
 */
#ifndef NEARDUP_TOKEN_HASH_H
#define NEARDUP_TOKEN_HASH_H

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
