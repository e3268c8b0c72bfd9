/*
 * band.h
 *		Keys of bands, and the byte order of what is hashed.
 */
#ifndef NEARDUP_SKETCH_BAND_H
#define NEARDUP_SKETCH_BAND_H

#include <xxhash.h>

#include "port/pg_bswap.h"

/* Puts values, in place, into the byte order in which they are hashed. */
static inline void
ToLittleEndian(uint32 *values, uint32 count)
{
#ifdef WORDS_BIGENDIAN
	for (uint32 i = 0; i < count; i++)
		values[i] = pg_bswap32(values[i]);
#endif
}

/*
 * Returns the key of a band: the XXH3-64 of its values, with the band's number as the seed, so that
 * equal values in different bands have different keys. Changes the byte order of the values.
 */
static inline uint64
BandKey(uint32 *values, uint32 count, uint32 band)
{
	ToLittleEndian(values, count);
	return XXH3_64bits_withSeed(values, (size_t) count * sizeof(uint32), band);
}

#endif
