/*
 * bucket_index.h
 *		What a join by buckets knows of each record: its keys and its signature.
 *
 * The keys of a record are made of the values of its tokens: the bands of a
 * minhash sketch of them (locality-sensitive hashing), or, where the tokens are
 * the components of a sketch, its super-shingles.
 *
 * The rows of bands have band b at place b. Super-shingles have no place; a row
 * has them ascending.
 */
#ifndef NEARDUP_JOIN_BUCKET_INDEX_H
#define NEARDUP_JOIN_BUCKET_INDEX_H

#include "join/kernel/bounds.h"
#include "join/kernel/join.h"
#include "join/kernel/signature.h"

typedef struct BucketIndex
{
	const JoinSpec *spec;
	BucketSpec buckets;
	PairBounds bounds;

	/* Records of equal content are one group, which has the keys. */
	uint32 *first_records; /* of each group, and record_count */
	uint32 *sizes;		   /* of each group's records */
	uint32 *outgrown;	   /* by group, the first group that is not too small for it */
	uint32 group_count;

	uint32 *keys; /* buckets.keys of each group */
	uint32 signature_words;
	uint64 *signatures; /* signature_words of each group */

	/* By unit of finding pairs: the pairs that no unit before has. A unit of bands is a band. */
	uint64 *candidates;
} BucketIndex;

/* Groups that a unit of making keys has at least. */
#define BUCKET_UNIT_GROUPS 64

/*
 * Bytes of the index of records of which the largest has so many tokens; words as of the
 * signatures of lists. And those of a join, which are all beside the records.
 */
extern uint64 BucketIndexBytes(const JoinRecords *records, uint32 largest, uint32 words);
extern uint64 BucketJoinBytes(const JoinRecords *records, uint32 largest, uint32 words);

/* Bytes that one more record adds, at most. */
extern Size BucketRecordBytes(const BucketSpec *buckets);

/* Built in this order: Begin, Make for each unit. Different units can be made at the same time. */
extern void BucketIndexBegin(BucketIndex *index, const JoinSpec *spec);
extern void BucketIndexMake(BucketIndex *index, uint32 unit, uint32 units);
extern void BucketIndexFree(BucketIndex *index);

/* Units of finding pairs. */
extern uint32 BucketJoinUnits(const BucketIndex *index);

/* Keys that are compared at once; rows are as long as a multiple of it. */
#define BUCKET_KEY_BLOCK 4

/* Places of a row; blocks that begin within the keys end within the row. */
static inline Size
BucketRowLength(const BucketSpec *buckets)
{
	return TYPEALIGN(BUCKET_KEY_BLOCK, buckets->keys);
}

/* Of a group: its keys and its signature. */
static inline Size
BucketGroupBytes(const BucketSpec *buckets, uint32 signature_words)
{
	return BucketRowLength(buckets) * sizeof(uint32) + signature_words * sizeof(uint64);
}

/* Bytes of the groups that the first-level cache holds while others meet them. */
#define BUCKET_TILE_BYTES 32768

/* One of the equal records of a group. */
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
