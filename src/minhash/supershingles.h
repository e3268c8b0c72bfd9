/*
 * supershingles.h
 *		Super-shingles: shingles of the sorted values of a sketch (Introduction
 *		to Information Retrieval, section 19.6).
 */
#ifndef NEARDUP_SUPERSHINGLES_H
#define NEARDUP_SUPERSHINGLES_H

/* Of a sketch of k components, which has at least size. */
static inline uint32
SupershingleCount(uint32 k, uint32 size)
{
	return k - size + 1;
}

/*
 * Sorts the values of a sketch, and writes the key of each size consecutive
 * ones, in their order: XXH3-64 of them, as 32-bit numbers with the least significant
 * byte first.
 */
extern void SupershingleKeys(uint32 *values, uint32 k, uint32 size, uint64 *keys);

/* invalid_parameter_value unless the size is from 1 to k. */
extern void SupershingleCheckSize(int32 size, int32 k);

#endif
