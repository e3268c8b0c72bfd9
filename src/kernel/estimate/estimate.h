/*
 * estimate.h
 *		Estimates the memory that a whole join will take, while its records arrive.
 *
 * The rows of a join are kept in memory if all of it stays within a limit, and go to files
 * otherwise. This must be known while rows arrive, before there is an index.
 */
#ifndef NEARDUP_KERNEL_ESTIMATE_H
#define NEARDUP_KERNEL_ESTIMATE_H

#include "kernel/records/records.h"
#include "measure/measure.h"

typedef struct MemoryEstimate MemoryEstimate;

/* Estimates the memory of an engine, without the canonical records. */
typedef Size (*JoinBytes)(const MemoryEstimate *estimate);

#define ESTIMATE_MEMOIZED_SIZES 256

struct MemoryEstimate
{
	Predicate predicate; /* compares sizes, also in a weighted join */
	bool is_weighted;
	JoinBytes join_bytes;
	Size record_bytes; /* for each record, in addition to the engine's; the caller may set it */
	Size limit;		   /* in bytes */

	/* Figures of the records that were added. */
	uint64 record_count;
	uint64 token_count;
	uint64 posting_count; /* at most, since tokens of a single record have none */
	bool is_unsorted;	  /* whether a record was smaller than the one before */
	uint32 class_size;	  /* size of the last record */
	uint64 class_first;	  /* if sorted, number of the first record of this size */
	uint64 largest_class; /* if sorted: records of the earlier class with most tokens */
	uint64 largest_class_tokens;
	double posting_sizes; /* the sum of the sizes of their records, posting by posting */

	/* What the last estimate found, which is used until the slack is spent. */
	uint64 distinct_tokens;
	uint64
		absent_tokens; /* known tokens that no record has, which only rank_of_id has a place for */
	bool two_sided;
	const BucketSpec *buckets;
	Size slack;		  /* bytes that may be added before the next estimate */
	Size other_bytes; /* that the host does not count */

	uint32 postings_of_size[ESTIMATE_MEMOIZED_SIZES]; /* plus 1; 0 if unknown */
};

extern void MemoryEstimateInit(MemoryEstimate *estimate, Predicate predicate, JoinBytes join_bytes,
							   Size limit);

/* Returns the width of signatures in words that the mean size asks for. */
extern uint32 MemoryEstimateWords(const MemoryEstimate *estimate);

/* Adds a record, whether or not it fits. */
extern void MemoryEstimateAdd(MemoryEstimate *estimate, uint32 size);

/*
 * Returns whether another record of this size fits into the limit. key_arrays is the size of arrays
 * of keys, which the host counts; other_bytes is memory of the join that it does not count.
 */
extern bool MemoryEstimateFits(MemoryEstimate *estimate, const JoinRecords *records, uint32 size,
							   Size key_arrays, Size other_bytes);

/*
 * Returns the limit that keeps the records that were added, whose largest has `largest` tokens, if
 * they have this many distinct tokens. The records given are those that were in memory for a time.
 */
extern Size MemoryEstimateNeeded(MemoryEstimate *estimate, const JoinRecords *records,
								 uint64 distinct_tokens, uint32 largest, Size key_arrays,
								 Size other_bytes);

/* Returns how many bytes of shared memory the join needs with this many participants. */
extern Size MemoryEstimateShared(MemoryEstimate *estimate, const JoinRecords *records,
								 uint32 participants);

#endif
