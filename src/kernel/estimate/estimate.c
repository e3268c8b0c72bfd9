/*
 * estimate.c
 *		Estimates, linearly, what each phase of a join allocates.
 *
 * There are three phases. While rows are read, the memory is what has been allocated, and a little
 * more. Canonicalizing holds arrived and canonical records at the same time. Joining holds
 * canonical records, and what the engine estimates for its index. The estimate is the maximum of
 * the three; bytes follow from the numbers of records, tokens, distinct tokens and postings.
 *
 * MemoryEstimateFits is called before each record, so it does not estimate each time. An estimate
 * leaves a slack: half of what is left of the limit. Records are taken from the slack at a rough
 * price that is too high for most, and only when it is used up is there another estimate. So the
 * slack shrinks as memory fills up, and estimates become frequent only near the limit.
 */
#include "c.h"

#include "kernel/estimate/estimate.h"
#include "kernel/filters/bitmap_filter.h"
#include "kernel/filters/prefix_filter.h"

/* Bytes that queues and small tables take, whatever the records are. */
#define FIXED_BYTES (16 * 1024)

/* The price of a record and its tokens, whatever the phase. */
#define BYTES_PER_TOKEN 100
#define BYTES_PER_RECORD 200

/* While records go to their classes: a token's id, twice; a record as it arrived. */
#define GROUPING_BYTES_PER_TOKEN (2 * sizeof(uint32))
#define GROUPING_BYTES_PER_RECORD 12

/* While a class is put in order: a token's id or rank; of the class's records their places too. */
#define ORDERING_BYTES_PER_TOKEN (sizeof(uint32) + 1)
#define CLASS_BYTES_PER_TOKEN sizeof(uint32)
#define CLASS_BYTES_PER_RECORD (sizeof(KeyedItem) + sizeof(uint32))

/* A canonical record, with its bit among the repeats. */
#define CANONICAL_BYTES_PER_RECORD (sizeof(JoinRecord) + 1)

/*
 * While a weighted join is canonicalized: a record's place by total weight, and the arrays
 * replaced.
 */
#define WEIGHING_BYTES_PER_RECORD 40

/* A distinct token's weight, and its place in the order in which frequencies are looked up. */
#define WEIGHING_BYTES_PER_TOKEN (sizeof(uint32) + sizeof(KeyedItem))

/* What the order by total weight replaces, in shared memory, which keeps it. */
#define REPLACED_BYTES_PER_RECORD (sizeof(JoinRecord) + sizeof(int64) + 1)

/*
 * A weighted record's total, and what is its class's otherwise: size, start and origin, and bounds,
 * twice (join_spec.h, list_index.h).
 */
#define WEIGHTED_BYTES_PER_RECORD (8 + 16 + 24 + 40)

/* While units put records of one size in order together: what they share (record_order.h). */
#define RUNS_BYTES_PER_TOKEN sizeof(uint32)
#define RUNS_BYTES_PER_RECORD (sizeof(KeyedItem) + sizeof(uint32))

/* For a worker's places among the postings, in shared memory. */
#define SHARED_BYTES_PER_PARTICIPANT (64 * 1024)

void
MemoryEstimateInit(MemoryEstimate *estimate, Predicate predicate, JoinBytes join_bytes, Size limit)
{
	memset(estimate, 0, sizeof(*estimate));
	/* Since heavy tokens come first, weighted prefixes are no longer than prefixes by size. */
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

/* Returns how many postings a record of this size has at most; computed once for small sizes. */
static uint64
postings_of_record(MemoryEstimate *estimate, uint32 size)
{
	uint64 postings;

	if (size < ESTIMATE_MEMOIZED_SIZES && estimate->postings_of_size[size] > 0)
		return estimate->postings_of_size[size] - 1;
	postings = PrefixFilterOfSide(estimate->predicate, size, false);
	if (MeasureIsDirected(estimate->predicate.measure))
		postings += PrefixFilterOfSide(estimate->predicate, size, true);
	if (size < ESTIMATE_MEMOIZED_SIZES)
		estimate->postings_of_size[size] = postings + 1;
	return postings;
}

/* Returns the price of a record. */
static Size
bytes_added(uint32 size)
{
	return (Size) size * BYTES_PER_TOKEN + BYTES_PER_RECORD;
}

static void
end_class(MemoryEstimate *estimate)
{
	uint64 count = estimate->record_count - estimate->class_first;
	uint64 tokens = count * estimate->class_size;

	if (tokens > estimate->largest_class_tokens)
	{
		estimate->largest_class = count;
		estimate->largest_class_tokens = tokens;
	}
	estimate->class_first = estimate->record_count;
}

void
MemoryEstimateAdd(MemoryEstimate *estimate, uint32 size)
{
	uint64 postings = postings_of_record(estimate, size);

	if (size != estimate->class_size && !estimate->is_unsorted)
	{
		end_class(estimate);
		estimate->is_unsorted = size < estimate->class_size;
		estimate->class_size = size;
	}
	estimate->record_count++;
	estimate->token_count += size;
	estimate->posting_count += postings;
	estimate->posting_sizes += (double) postings * size;
	estimate->slack -= Min(estimate->slack, bytes_added(size));
}

/* Notes what the estimate takes from the records themselves. */
static void
look_at_records(MemoryEstimate *estimate, const JoinRecords *records)
{
	estimate->distinct_tokens = records->known.present + records->dictionary.token_count;
	estimate->absent_tokens = records->known.count - records->known.present;
	estimate->two_sided = records->two_sided;
	estimate->buckets = records->buckets;
}

/* Returns what the largest class takes; of unsorted records, all may be in it. */
static Size
class_bytes(const MemoryEstimate *estimate)
{
	uint64 last = estimate->record_count - estimate->class_first;
	uint64 count = Max(last, estimate->largest_class);
	uint64 tokens = Max(last * estimate->class_size, estimate->largest_class_tokens);

	if (estimate->is_unsorted)
	{
		count = estimate->record_count;
		tokens = estimate->token_count;
	}
	return tokens * CLASS_BYTES_PER_TOKEN + count * CLASS_BYTES_PER_RECORD;
}

static Size
canonicalizing_bytes(const MemoryEstimate *estimate)
{
	Size values = estimate->buckets != NULL ? sizeof(uint64) : 0;
	Size of_record = CANONICAL_BYTES_PER_RECORD;
	Size grouping;
	Size ordering;

	if (estimate->is_weighted)
	{
		values += WEIGHING_BYTES_PER_TOKEN;
		of_record += WEIGHING_BYTES_PER_RECORD;
	}
	grouping = estimate->token_count * GROUPING_BYTES_PER_TOKEN +
			   estimate->record_count * GROUPING_BYTES_PER_RECORD;
	ordering = estimate->token_count * ORDERING_BYTES_PER_TOKEN + class_bytes(estimate);
	return Max(grouping, ordering) + estimate->record_count * of_record +
		   estimate->distinct_tokens * (sizeof(uint32) + values) +
		   estimate->absent_tokens * sizeof(uint32);
}

/* Returns what a weighted join takes on top of an unweighted one. */
static Size
weighted_bytes(const MemoryEstimate *estimate)
{
	if (!estimate->is_weighted)
		return 0;
	return estimate->record_count * WEIGHTED_BYTES_PER_RECORD +
		   estimate->distinct_tokens * sizeof(uint32) + estimate->posting_count * sizeof(float);
}

/* Returns the estimate for the phase that begins with the index. */
static Size
joining_bytes(const MemoryEstimate *estimate)
{
	return weighted_bytes(estimate) + estimate->token_count * sizeof(uint32) +
		   estimate->record_count * (CANONICAL_BYTES_PER_RECORD + estimate->record_bytes) +
		   estimate->join_bytes(estimate);
}

static Size
left_of_limit(const MemoryEstimate *estimate, Size need)
{
	return estimate->limit - Min(need, estimate->limit);
}

/*
 * Sets the slack, the number of bytes that may be added before the next estimate, and returns
 * whether the record fits. The dictionary grows by doubling, so its steps are large. If the limit
 * has room for the next step, the slack is half of what that step leaves; if not, the slack is what
 * can be added while the dictionary has free slots, so that it does not grow.
 */
static bool
find_slack(MemoryEstimate *estimate, const JoinRecords *records, uint32 size, Size key_arrays)
{
	const TokenDictionary *dictionary = &records->dictionary;
	uint64 tokens = (uint64) size + DICTIONARY_BATCH;
	Size other = FIXED_BYTES + estimate->other_bytes + bytes_added(size);
	Size ranks = (estimate->distinct_tokens + estimate->absent_tokens) * sizeof(uint32);
	Size reading = records->host->bytes + ranks;
	Size later = key_arrays + Max(canonicalizing_bytes(estimate), joining_bytes(estimate));
	Size left = left_of_limit(estimate, other + Max(reading, later));
	Size left_if_grown = left_of_limit(
		estimate, other + Max(reading + TokenDictionaryGrowthBytes(dictionary), later));

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
				   Size key_arrays, Size other_bytes)
{
	Size more = other_bytes - Min(other_bytes, estimate->other_bytes);

	if (estimate->slack >= bytes_added(size) + more)
		return true;
	look_at_records(estimate, records);
	estimate->other_bytes = other_bytes;
	return find_slack(estimate, records, size, key_arrays);
}

Size
MemoryEstimateNeeded(MemoryEstimate *estimate, const JoinRecords *records, uint64 distinct_tokens,
					 uint32 largest, Size key_arrays, Size other_bytes)
{
	Size reading;
	Size later;

	look_at_records(estimate, records);
	estimate->distinct_tokens = distinct_tokens;
	reading = JoinRecordsArrivedBytes(estimate->record_count, estimate->token_count) +
			  TokenDictionaryBytes(distinct_tokens + largest + DICTIONARY_BATCH) +
			  distinct_tokens * sizeof(uint32);
	later = Max(canonicalizing_bytes(estimate), joining_bytes(estimate));
	return FIXED_BYTES + other_bytes + bytes_added(largest) + key_arrays + Max(reading, later) + 1;
}

Size
MemoryEstimateShared(MemoryEstimate *estimate, const JoinRecords *records, uint32 participants)
{
	Size runs = estimate->token_count * RUNS_BYTES_PER_TOKEN +
				estimate->record_count * RUNS_BYTES_PER_RECORD;
	Size index;
	Size bytes;

	look_at_records(estimate, records);
	index = estimate->join_bytes(estimate);
	/* The runs are gone when the index is built. */
	bytes = joining_bytes(estimate) + (runs - Min(runs, index)) +
			estimate->distinct_tokens * sizeof(uint32) + estimate->record_count * sizeof(int64);
	if (estimate->is_weighted)
		bytes += estimate->record_count * REPLACED_BYTES_PER_RECORD;
	return FIXED_BYTES + bytes + bytes / 8 +
		   participants * Min(SHARED_BYTES_PER_PARTICIPANT, bytes / 8);
}
