/*
 * band.h
 *		The key of a band.
 */
#ifndef NEARDUP_MINHASH_BAND_H
#define NEARDUP_MINHASH_BAND_H

#include <xxhash.h>

#include "port/pg_bswap.h"

/*
 * XXH3-64 of count values, as 32-bit numbers with the least significant byte
 * first, the number of the band being the seed. The values are changed on
 * big-endian machines.
 */
static inline uint64
BandKey(uint32 *values, uint32 count, uint32 band)
{
#ifdef WORDS_BIGENDIAN
	for (uint32 i = 0; i < count; i++)
		values[i] = pg_bswap32(values[i]);
#endif
	return XXH3_64bits_withSeed(values, (size_t) count * sizeof(uint32), band);
}

#endif
