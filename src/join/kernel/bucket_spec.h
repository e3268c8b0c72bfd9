/*
 * bucket_spec.h
 *		What the keys of a join by buckets are made of.
 */
#ifndef NEARDUP_JOIN_BUCKET_SPEC_H
#define NEARDUP_JOIN_BUCKET_SPEC_H

typedef enum BucketKind
{
	BUCKETS_OF_BANDS,		 /* of a minhash sketch of the record's tokens */
	BUCKETS_OF_SUPERSHINGLES /* of a sketch, whose tokens have the values in their lower half */
} BucketKind;

typedef struct BucketSpec
{
	BucketKind kind;
	uint32 keys; /* of a record: the bands, or the super-shingles */
	uint32 rows; /* of a band, or values of a super-shingle */
	uint64 seed; /* of the sketch */
} BucketSpec;

/* The value of a token, from which keys are made. */
extern uint64 BucketTokenValue(const BucketSpec *buckets, int64 token);

#endif
