/*
 * bucket_spec.c
 *		Computes the values that the keys of a join by buckets are made of.
 */
#include "c.h"

#include "kernel/records/bucket_spec.h"
#include "sketch/token_hash.h"

uint64
BucketTokenValue(const BucketSpec *buckets, int64 token)
{
	if (buckets->kind == BUCKETS_OF_BANDS)
		return TokenHash(token, buckets->seed);
	return (uint32) token;
}
