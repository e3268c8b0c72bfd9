/*
 * bucket_spec.h
 *		Says what the keys of a join by buckets are made of.
 */
#ifndef NEARDUP_KERNEL_BUCKET_SPEC_H
#define NEARDUP_KERNEL_BUCKET_SPEC_H

/* A minhash sketch of the tokens is cut into bands; a record has a key for each. */
typedef struct BucketSpec
{
	uint32 bands;
	uint32 rows; /* components of a band */
	uint64 seed; /* the seed that the sketch is made with */
} BucketSpec;

#endif
