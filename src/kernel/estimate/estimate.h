/*
 * estimate.h
 *		Memory of a whole join, estimated while its records arrive.
 */
#ifndef NEARDUP_KERNEL_ESTIMATE_H
#define NEARDUP_KERNEL_ESTIMATE_H

#include "kernel/records/records.h"
#include "measure/measure.h"

typedef struct MemoryEstimate MemoryEstimate;

/* Of an engine, beside canonical records. */
typedef Size (*JoinBytes)(const MemoryEstimate *estimate);

#define ESTIMATE_MEMOIZED_SIZES 256

struct MemoryEstimate
{
	Predicate predicate; /* of sizes, also in a weighted join */
	bool is_weighted;
	JoinBytes join_bytes;
	Size limit; /* bytes */

	uint64 record_count;
	uint64 token_count;
	uint64 posting_count; /* upper bound, with unshared tokens */
	double posting_sizes; /* sum of their records' sizes */

	/* As of the last estimate. */
	uint64 distinct_tokens;
	bool two_sided;
	const BucketSpec *buckets;
	Size slack; /* bytes to add before the next estimate */
	Size beside;

	uint32 postings_of_size[ESTIMATE_MEMOIZED_SIZES]; /* plus 1; 0 if unknown */
};

extern void MemoryEstimateInit(MemoryEstimate *estimate, Predicate predicate, JoinBytes join_bytes,
							   Size limit);

/* Words of a signature, for the mean size. */
extern uint32 MemoryEstimateWords(const MemoryEstimate *estimate);

/* The record need not fit. */
extern void MemoryEstimateAdd(MemoryEstimate *estimate, uint32 size);

/*
 * Whether another record fits. Bytes of keys are `key_arrays` where the host counts them, else
 * `beside`.
 */
extern bool MemoryEstimateFits(MemoryEstimate *estimate, const JoinRecords *records, uint32 size,
							   Size key_arrays, Size beside);

/* Bytes of the arena. */
extern Size MemoryEstimateShared(MemoryEstimate *estimate, const JoinRecords *records,
								 uint32 participants);

#endif
