/*
 * bucket_index.h
 *		The index of a join by buckets: keys and a signature for each group of equal records.
 *
 * Keys are the bands of a minhash sketch of the tokens (locality-sensitive hashing): the sketch is
 * cut into bands of some values, and the hash of a band is a key. A group has a row of keys, one for
 * each band. Rows are one array, and so are signatures (bitmap_filter.h), both in the order of groups.
 * All arrays are in shared memory.
 */
#ifndef NEARDUP_KERNEL_BUCKET_INDEX_H
#define NEARDUP_KERNEL_BUCKET_INDEX_H

#include "kernel/filters/join_spec.h"
#include "kernel/filters/least_overlap.h"

typedef struct BucketIndex
{
	const JoinSpec *spec;
	BucketSpec buckets;
	LeastOverlaps least_overlaps;

	/* Equal records, of whatever side, are one group. */
	uint32 *first_records;		/* the first record of each group; record_count comes last */
	uint32 *sizes;				/* one for each group */
	uint32 *size_filter_starts; /* for each group the first group that is not too small for it */
	uint32 group_count;

	uint32 *keys; /* one for each group */
	uint32 signature_words;
	uint64 *signatures; /* one for each group */

	/* By band: pairs of groups that share its key, and none of an earlier band. */
	uint64 *candidates;
} BucketIndex;

/* Fewer groups are not worth a unit of making keys. */
#define BUCKET_UNIT_GROUPS 64

/*
 * Signatures are this many times as wide as in lists: fewer pairs are compared, and a pair that
 * passes is verified at once.
 */
#define BUCKET_SIGNATURE_FACTOR 2

/* Build an index, called in this order; Make for each unit, by workers at the same time. */
extern void BucketIndexBegin(BucketIndex *index, const JoinSpec *spec);
extern void BucketIndexMake(BucketIndex *index, uint32 unit, uint32 units);
extern void BucketIndexFree(BucketIndex *index);

/* Keys that are compared at once; the length of a row is a multiple of it. */
#define BUCKET_KEY_BLOCK 4

static inline Size
BucketRowLength(const BucketSpec *buckets)
{
	return TYPEALIGN(BUCKET_KEY_BLOCK, buckets->bands);
}

static inline Size
BucketGroupBytes(const BucketSpec *buckets, uint32 signature_words)
{
	return BucketRowLength(buckets) * sizeof(uint32) + signature_words * sizeof(uint64);
}

/* Bytes of keys and signatures that stay in the first-level cache while other groups meet them. */
#define BUCKET_TILE_BYTES 32768

static inline const JoinRecord *
BucketGroupRecord(const BucketIndex *index, uint32 group)
{
	return &index->spec->records->records[index->first_records[group]];
}

static inline uint32 *
BucketGroupKeys(const BucketIndex *index, uint32 group)
{
	return index->keys + (Size) group * BucketRowLength(&index->buckets);
}

#endif
