/*
 * load.c
 *		The memory that each phase of a join takes.
 *
 * The sums here follow the allocations of the kernel, phase by phase. A test
 * holds them against the peak that the host counted.
 */
#include "c.h"

#include "join/kernel/list_index.h"
#include "join/kernel/load.h"

/* Fixed parts: queues, counters of digits, the table of partitions, first sizes of arrays. */
#define FIXED_BYTES (32 * 1024)

/*
 * The most that one more token, and one more record, can add to the peak while
 * the hash table stays as it is: the token itself in three arrays, the
 * dictionary while it is ranked, a posting in the index and in its partition;
 * the record in three arrays, its signature, its class.
 */
#define BYTES_PER_TOKEN 96
#define BYTES_PER_RECORD 320

void
JoinLoadInit(JoinLoad *load, Predicate predicate, JoinAlgorithm algorithm, Size limit)
{
	memset(load, 0, sizeof(*load));
	load->predicate = predicate;
	load->algorithm = algorithm;
	load->limit = limit;
	load->least_words = 1;
}

/* At most; tokens of a single record are not known yet. */
static uint64
postings_of_record(JoinLoad *load, uint32 size)
{
	uint64 postings;

	if (size < LOAD_MEMOIZED_SIZES && load->postings_of_size[size] > 0)
		return load->postings_of_size[size] - 1;
	postings = PredicateProbingPrefix(load->predicate, size);
	if (MeasureIsAsymmetric(load->predicate.measure))
		postings += size;
	if (size < LOAD_MEMOIZED_SIZES)
		load->postings_of_size[size] = postings + 1;
	return postings;
}

static uint32
signature_words(const JoinLoad *load, uint64 postings, double set_sizes)
{
	if (postings == 0)
		return load->least_words;
	return Max(load->least_words, ListSignatureWords(load->predicate, set_sizes / postings));
}

/* Postings that are sorted at once: a partition, which ends with a list that may be a long one. */
static uint64
sorted_postings(const JoinLoad *load, const JoinRecords *records)
{
	uint64 longest_list = records->dictionary.greatest_frequency;

	if (MeasureIsAsymmetric(load->predicate.measure) && !records->two_sided)
		longest_list *= 2;
	return Min(load->postings, 3 * LIST_PARTITION_POSTINGS + longest_list);
}

static uint64
list_join_bytes(const JoinLoad *load, const JoinRecords *records, uint64 words)
{
	uint64 distinct = records->dictionary.token_count;
	uint64 classes = Min(records->record_count, load->largest);
	uint64 sorted = sorted_postings(load, records);
	uint64 beyond = Min(load->postings, (uint64) load->largest * load->largest / 2);

	return records->record_count * (8 * words + 1) + load->postings * sizeof(ListPosting) +
		   beyond * sizeof(uint32) +
		   classes * (sizeof(ListClass) + sizeof(SizeClass) + 2 * sizeof(uint32)) +
		   Min((uint64) load->largest * 2 + 1, 65536) * sizeof(int32) +
		   Min(distinct + 1, 65536) * (sizeof(uint32) + sizeof(uint16)) +
		   sorted * (16 + 8 * words) + Min(distinct, sorted) * 4 * sizeof(uint32);
}

static uint64
record_join_bytes(const JoinLoad *load, const JoinRecords *records)
{
	uint64 sides = records->two_sided ? 2 : 1;
	uint64 classes = Min(records->record_count, load->largest);

	return load->postings * sizeof(Posting) +
		   sides * records->dictionary.token_count * 2 * sizeof(uint64) +
		   records->record_count * (sizeof(int32) + sizeof(uint32)) +
		   classes * (sizeof(SizeClass) + 4 * sizeof(uint32));
}

/* With signatures of so many words. */
static Size
need_with_words(const JoinLoad *load, const JoinRecords *records, uint32 words)
{
	uint64 distinct = records->dictionary.token_count;
	uint64 slots = records->dictionary.slot_count * sizeof(DictionaryEntry);
	uint64 tokens = records->token_count * sizeof(uint32);
	/* Arrays grow by half. */
	uint64 reserved = Max(tokens + tokens / 2, records->token_capacity * sizeof(uint32)) +
					  (uint64) records->record_count * sizeof(JoinRecord) / 2 * 3;
	uint64 by_size = slots + records->record_count * sizeof(JoinRecord);
	uint64 ranking = slots + distinct * (sizeof(DictionaryEntry) + sizeof(uint32));
	uint64 sorting =
		tokens + distinct * sizeof(uint32) + Min(records->token_count, 65536) * 3 * sizeof(uint32);
	uint64 ordering = tokens + records->record_count * 32;
	uint64 joining = load->algorithm == JOIN_AUTO ? list_join_bytes(load, records, words)
												  : record_join_bytes(load, records);

	return FIXED_BYTES + reserved +
		   Max(Max(Max(by_size, ranking), Max(sorting, ordering)), joining);
}

Size
JoinLoadNeed(const JoinLoad *load, const JoinRecords *records)
{
	return need_with_words(load, records, signature_words(load, load->postings, load->set_sizes));
}

static Size
most_added(uint32 size)
{
	return (Size) size * BYTES_PER_TOKEN + BYTES_PER_RECORD;
}

/*
 * A single large record can widen the signatures of all. So the slack leaves
 * room for the widest; where there is none, each record is looked at by itself.
 */
bool
JoinLoadFits(JoinLoad *load, const JoinRecords *records, uint32 size, Size other_bytes)
{
	bool table_grows = TokenDictionaryWouldGrow(&records->dictionary, size);
	Size other_added = other_bytes - Min(other_bytes, load->other_bytes);
	uint64 postings;
	uint32 words;
	Size beside;
	Size need;

	if (!table_grows && load->slack >= most_added(size) + other_added)
		return true;
	/* While it grows, the hash table is there in the old and the new size. */
	beside = other_bytes +
			 (table_grows ? records->dictionary.slot_count * 2 * sizeof(DictionaryEntry) : 0);
	need = need_with_words(load, records, SIGNATURE_MAX_WORDS) + beside;
	load->slack = load->limit - Min(need, load->limit);
	load->other_bytes = other_bytes;
	if (load->slack >= most_added(size))
		return true;

	postings = postings_of_record(load, size);
	words = signature_words(load, load->postings + postings,
							load->set_sizes + (double) postings * size);
	need = need_with_words(load, records, words) + beside + most_added(size);
	return need <= load->limit;
}

void
JoinLoadAdd(JoinLoad *load, uint32 size)
{
	uint64 postings = postings_of_record(load, size);

	load->slack -= Min(load->slack, most_added(size));
	load->postings += postings;
	load->set_sizes += (double) postings * size;
	load->largest = Max(load->largest, size);
}
