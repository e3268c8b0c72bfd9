/*
 * supershingles.h
 *		Super-shingles: shingles of the sorted values of a sketch
 *		(Introduction to Information Retrieval, section 19.6).
 */
#ifndef NEARDUP_SKETCH_SUPERSHINGLES_H
#define NEARDUP_SKETCH_SUPERSHINGLES_H

/* Of a sketch of k >= size components. */
static inline uint32
SupershingleCount(uint32 k, uint32 size)
{
	return k - size + 1;
}

/* Sorts the values in place. A key is the XXH3-64 of `size` consecutive little-endian values. */
extern void SupershingleKeys(uint32 *values, uint32 k, uint32 size, uint64 *keys);

#endif
