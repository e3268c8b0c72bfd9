/*
 * supershingles.h
 *		Super-shingles: shingles of the sorted values of a sketch.
 *
 * Two sketches that share many values, when sorted, have runs of equal values. So the hash of each
 * `size` consecutive ones is a key that near-duplicates have in common, and others hardly ever
 * (Introduction to Information Retrieval, section 19.6).
 */
#ifndef NEARDUP_SKETCH_SUPERSHINGLES_H
#define NEARDUP_SKETCH_SUPERSHINGLES_H

/* Returns the number of super-shingles of a sketch of k components; k is at least `size`. */
static inline uint32
SupershingleCount(uint32 k, uint32 size)
{
	return k - size + 1;
}

/*
 * Stores the keys of the super-shingles, SupershingleCount(k, size) of them: a key is the XXH3-64
 * of `size` consecutive values in little-endian order. Sorts the values in place, and changes their
 * byte order.
 */
extern void SupershingleKeys(uint32 *values, uint32 k, uint32 size, uint64 *keys);

#endif
