/*
 * bucket_join.h
 *		The join by buckets: records that share a key are candidates.
 *
 * The keys of a record are made of the values of its tokens: the bands of a
 * minhash sketch of them (locality-sensitive hashing), or, where the tokens are
 * the components of a sketch, its super-shingles. What is emitted satisfies the
 * predicate exactly; of the pairs that satisfy it, those that share no key are
 * not found.
 */
#ifndef NEARDUP_JOIN_BUCKET_JOIN_H
#define NEARDUP_JOIN_BUCKET_JOIN_H

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

/* Bytes beside the records, for the largest of so many tokens; words as of the signatures of lists. */
extern uint64 BucketJoinBytes(const JoinRecords *records, uint32 largest, uint32 words);

/* Bytes that one more record adds, at most. */
extern Size BucketRecordBytes(const BucketSpec *buckets);

/* Built in this order: Begin, Make for each unit. Different units can be made at the same time. */
extern void BucketIndexBegin(BucketIndex *index, const JoinSpec *spec);
extern void BucketIndexMake(BucketIndex *index, uint32 unit, uint32 units);
extern void BucketIndexFree(BucketIndex *index);

/* Units of finding pairs, and one of them; each pair comes from one unit. */
extern uint32 BucketJoinUnits(const BucketIndex *index);
extern void BucketJoinUnit(BucketIndex *index, uint32 unit, JoinEmit emit, void *emit_context,
						   JoinCounters *counters);

/* The pairs of equal records, of the groups that begin in first .. end - 1. */
extern void BucketJoinRepeats(const BucketIndex *index, uint32 first, uint32 end, JoinEmit emit,
							  void *emit_context);

#endif
