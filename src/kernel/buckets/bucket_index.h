/*
 * bucket_index.h
 *		What a join by buckets knows of records: keys and a signature.
 *
 * Keys are the bands of a minhash sketch of the tokens (locality-sensitive
 * hashing), or, where the tokens are a sketch, its super-shingles. A row has
 * band b at place b, and super-shingles ascending.
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

	/* Equal records are one group. */
	uint32 *first_records; /* of each group, and record_count */
	uint32 *sizes;
	uint32 *size_filter_starts; /* by group, the first one not too small */
	uint32 group_count;

	uint32 *keys; /* by group */
	uint32 signature_words;
	uint64 *signatures; /* by group */

	/* By unit: pairs that no unit before has. */
	uint64 *candidates;
} BucketIndex;

/* Groups worth a unit of making keys. */
#define BUCKET_UNIT_GROUPS 64

/* Signatures are wider than in lists: fewer pairs are compared, and what passes costs more. */
#define BUCKET_SIGNATURE_FACTOR 2

/* In this order; Make for each unit, at the same time. */
extern void BucketIndexBegin(BucketIndex *index, const JoinSpec *spec);
extern void BucketIndexMake(BucketIndex *index, uint32 unit, uint32 units);
extern void BucketIndexFree(BucketIndex *index);

extern uint32 BucketJoinUnits(const BucketIndex *index);

/* Keys compared at once; a row's length is a multiple. */
#define BUCKET_KEY_BLOCK 4

static inline Size
BucketRowLength(const BucketSpec *buckets)
{
	return TYPEALIGN(BUCKET_KEY_BLOCK, buckets->keys);
}

static inline Size
BucketGroupBytes(const BucketSpec *buckets, uint32 signature_words)
{
	return BucketRowLength(buckets) * sizeof(uint32) + signature_words * sizeof(uint64);
}

/* Groups that stay in the first-level cache while others meet them. */
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
