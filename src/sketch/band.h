/*
 * band.h
 *		Keys of bands, and the byte order of what is hashed.
 */
#ifndef NEARDUP_SKETCH_BAND_H
#define NEARDUP_SKETCH_BAND_H

#include <xxhash.h>

#include "port/pg_bswap.h"

static inline void
ToLittleEndian(uint32 *values, uint32 count)
{
#ifdef WORDS_BIGENDIAN
	for (uint32 i = 0; i < count; i++)
		values[i] = pg_bswap32(values[i]);
#endif
}

/* XXH3-64 of the values with the band's number as the seed. Changes the values' byte order. */
static inline uint64
BandKey(uint32 *values, uint32 count, uint32 band)
{
	ToLittleEndian(values, count);
	return XXH3_64bits_withSeed(values, (size_t) count * sizeof(uint32), band);
}

#endif
