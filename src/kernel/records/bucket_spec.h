/*
 * bucket_spec.h
 *		Says what the keys of a join by buckets are made of.
 */
#ifndef NEARDUP_KERNEL_BUCKET_SPEC_H
#define NEARDUP_KERNEL_BUCKET_SPEC_H

typedef enum BucketKind
{
	BUCKETS_OF_BANDS,		 /* of a minhash sketch of the tokens */
	BUCKETS_OF_SUPERSHINGLES /* of a sketch; its values are the tokens' lower halves */
} BucketKind;

typedef struct BucketSpec
{
	BucketKind kind;
	uint32 keys; /* bands or super-shingles of a record */
	uint32 rows; /* components of a band, or values of a super-shingle */
	uint64 seed; /* the seed that the sketch was made with */
} BucketSpec;

/*
 * Returns what a token contributes to keys: its hash for a sketch, or the value that it is in a
 * sketch.
 */
extern uint64 BucketTokenValue(const BucketSpec *buckets, int64 token);

#endif
