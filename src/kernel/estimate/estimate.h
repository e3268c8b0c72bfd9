/*
 * estimate.h
 *		How much memory a join of the records so far will take.
 *
 * A join whose records are still arriving must know whether it can be finished
 * within its limit of memory. What is taken already is counted; what the later
 * phases take is about linear in records, tokens and postings.
 */
#ifndef NEARDUP_KERNEL_ESTIMATE_H
#define NEARDUP_KERNEL_ESTIMATE_H

#include "kernel/records/records.h"
#include "measure/measure.h"

typedef struct MemoryEstimate MemoryEstimate;

/* Bytes that an engine takes beside canonical records, to index and to probe. */
typedef Size (*JoinBytes)(const MemoryEstimate *estimate);

#define ESTIMATE_MEMOIZED_SIZES 256

struct MemoryEstimate
{
	Predicate predicate;
	JoinBytes join_bytes;
	Size limit; /* bytes */

	uint64 record_count;
	uint64 token_count;
	uint64 posting_count; /* at most: tokens of a single record are not known yet */
	double posting_sizes; /* sum over postings of their records' sizes */

	/* As of the last estimate. */
	uint64 distinct_tokens;
	bool two_sided;
	const BucketSpec *buckets;
	Size slack; /* bytes that may be added before the next estimate */
	Size beside;

	uint32 postings_of_size[ESTIMATE_MEMOIZED_SIZES]; /* plus 1; 0 where not yet known */
};

extern void MemoryEstimateInit(MemoryEstimate *estimate, Predicate predicate, JoinBytes join_bytes,
							   Size limit);

/* Words of the signatures, by the mean size of records. */
extern uint32 MemoryEstimateWords(const MemoryEstimate *estimate);

/* Counts one more record, which need not fit. */
extern void MemoryEstimateAdd(MemoryEstimate *estimate, uint32 size);

/*
 * Whether the records, with one more of this size, can be joined within the
 * limit. Keys stay for the whole join: bytes of their arrays, which the host
 * counts, and bytes beside them, which it does not.
 */
extern bool MemoryEstimateFits(MemoryEstimate *estimate, const JoinRecords *records, uint32 size,
							   Size key_arrays, Size beside);

/* Bytes of the arena for a join of all records by so many participants. */
extern Size MemoryEstimateShared(MemoryEstimate *estimate, const JoinRecords *records,
								 uint32 participants);

#endif
