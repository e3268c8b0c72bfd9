/*
 * estimate.c
 *		Linear estimates of what each phase of a join allocates.
 *
 * Canonicalizing holds arrived and canonical records, the engine canonical ones alone.
 */
#include "c.h"

#include "kernel/estimate/estimate.h"
#include "kernel/filters/bitmap_filter.h"
#include "kernel/filters/prefix_filter.h"

/* Queues and small tables. */
#define FIXED_BYTES (16 * 1024)

/* Rough additions to any phase. */
#define BYTES_PER_TOKEN 100
#define BYTES_PER_RECORD 200

/* Id and rank; record, row and place in sort. */
#define CANONICALIZING_BYTES_PER_TOKEN (2 * sizeof(uint32) + 1)
#define CANONICALIZING_BYTES_PER_RECORD 56

/* With the repeats bit. */
#define CANONICAL_BYTES_PER_RECORD (sizeof(JoinRecord) + 1)

/* The totals' order, and what it replaces. */
#define WEIGHING_BYTES_PER_RECORD 40

/* Weight, and the order in which frequencies are looked up. */
#define WEIGHING_BYTES_PER_TOKEN (sizeof(uint32) + 32)
#define REPLACED_BYTES_PER_RECORD (sizeof(JoinRecord) + sizeof(int64) + 1)

/* Total; size, start and origin of a class; its bounds, twice (join_spec.h, list_index.h). */
#define WEIGHTED_BYTES_PER_RECORD (8 + 16 + 24 + 40)

/* For postings, in the arena. */
#define SHARED_BYTES_PER_PARTICIPANT (64 * 1024)

void
MemoryEstimateInit(MemoryEstimate *estimate, Predicate predicate, JoinBytes join_bytes, Size limit)
{
	memset(estimate, 0, sizeof(*estimate));
	/* Heavy tokens first: weighted prefixes are no longer. */
	estimate->predicate = predicate;
	estimate->predicate.measure = MeasureUnweighted(predicate.measure);
	estimate->is_weighted = MeasureIsWeighted(predicate.measure);
	estimate->join_bytes = join_bytes;
	estimate->limit = limit;
}

uint32
MemoryEstimateWords(const MemoryEstimate *estimate)
{
	if (estimate->posting_count == 0)
		return 1;
	if (estimate->is_weighted)
		return SIGNATURE_MAX_WORDS;
	return BitmapFilterWords(estimate->predicate,
							 estimate->posting_sizes / estimate->posting_count);
}

static uint64
postings_of_record(MemoryEstimate *estimate, uint32 size)
{
	uint64 postings;

	if (size < ESTIMATE_MEMOIZED_SIZES && estimate->postings_of_size[size] > 0)
		return estimate->postings_of_size[size] - 1;
	postings = PrefixFilterProbing(estimate->predicate, size);
	if (MeasureIsAsymmetric(estimate->predicate.measure))
		postings += size;
	if (size < ESTIMATE_MEMOIZED_SIZES)
		estimate->postings_of_size[size] = postings + 1;
	return postings;
}

static Size
bytes_added(uint32 size)
{
	return (Size) size * BYTES_PER_TOKEN + BYTES_PER_RECORD;
}

void
MemoryEstimateAdd(MemoryEstimate *estimate, uint32 size)
{
	uint64 postings = postings_of_record(estimate, size);

	estimate->record_count++;
	estimate->token_count += size;
	estimate->posting_count += postings;
	estimate->posting_sizes += (double) postings * size;
	estimate->slack -= Min(estimate->slack, bytes_added(size));
}

static void
look_at_records(MemoryEstimate *estimate, const JoinRecords *records)
{
	estimate->distinct_tokens = records->dictionary.token_count;
	estimate->two_sided = records->two_sided;
	estimate->buckets = records->buckets;
}

static Size
canonicalizing_bytes(const MemoryEstimate *estimate)
{
	Size values = estimate->buckets != NULL ? sizeof(uint64) : 0;
	Size of_record = CANONICALIZING_BYTES_PER_RECORD;

	if (estimate->is_weighted)
	{
		values += WEIGHING_BYTES_PER_TOKEN;
		of_record += WEIGHING_BYTES_PER_RECORD;
	}
	return estimate->token_count * CANONICALIZING_BYTES_PER_TOKEN +
		   estimate->record_count * of_record +
		   estimate->distinct_tokens * (sizeof(uint32) + values);
}

/* Weights, and what is by class elsewhere. */
static Size
weighted_bytes(const MemoryEstimate *estimate)
{
	if (!estimate->is_weighted)
		return 0;
	return estimate->record_count * WEIGHTED_BYTES_PER_RECORD +
		   estimate->distinct_tokens * sizeof(uint32) + estimate->posting_count * sizeof(float);
}

/* From the index on. */
static Size
joining_bytes(const MemoryEstimate *estimate)
{
	return weighted_bytes(estimate) + estimate->token_count * sizeof(uint32) +
		   estimate->record_count * CANONICAL_BYTES_PER_RECORD + estimate->join_bytes(estimate);
}

static Size
left_of_limit(const MemoryEstimate *estimate, Size need)
{
	return estimate->limit - Min(need, estimate->limit);
}

/* Half of the rest, since estimates are rough; less if the dictionary has no room to grow. */
static bool
find_slack(MemoryEstimate *estimate, const JoinRecords *records, uint32 size, Size key_arrays)
{
	const TokenDictionary *dictionary = &records->dictionary;
	uint64 tokens = (uint64) size + DICTIONARY_BATCH;
	Size beside = FIXED_BYTES + estimate->beside + bytes_added(size);
	Size reading = records->host->bytes + estimate->distinct_tokens * sizeof(uint32);
	Size later = key_arrays + Max(canonicalizing_bytes(estimate), joining_bytes(estimate));
	Size left = left_of_limit(estimate, beside + Max(reading, later));
	Size left_if_grown = left_of_limit(
		estimate, beside + Max(reading + TokenDictionaryGrowthBytes(dictionary), later));

	estimate->slack = left_if_grown / 2;
	if (left_if_grown > 0)
		return true;
	estimate->slack = left / 2;
	while (estimate->slack > 0 &&
		   TokenDictionaryWouldGrow(dictionary, tokens + estimate->slack / BYTES_PER_TOKEN))
		estimate->slack /= 2;
	return left > 0 && !TokenDictionaryWouldGrow(dictionary, tokens);
}

bool
MemoryEstimateFits(MemoryEstimate *estimate, const JoinRecords *records, uint32 size,
				   Size key_arrays, Size beside)
{
	if (estimate->slack >= bytes_added(size) + (beside - Min(beside, estimate->beside)))
		return true;
	look_at_records(estimate, records);
	estimate->beside = beside;
	return find_slack(estimate, records, size, key_arrays);
}

Size
MemoryEstimateShared(MemoryEstimate *estimate, const JoinRecords *records, uint32 participants)
{
	Size bytes;

	look_at_records(estimate, records);
	bytes = joining_bytes(estimate) + estimate->distinct_tokens * sizeof(uint32) +
			estimate->record_count * sizeof(int64);
	if (estimate->is_weighted)
		bytes += estimate->record_count * REPLACED_BYTES_PER_RECORD;
	return FIXED_BYTES + bytes + bytes / 8 +
		   participants * Min(SHARED_BYTES_PER_PARTICIPANT, bytes / 8);
}
