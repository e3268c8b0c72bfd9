/*
 * load.c
 *		The memory that each phase of a join takes.
 *
 * The sums here follow the allocations of the kernel, phase by phase. A test
 * holds them against the peak that the host counted.
 */
#include "c.h"

#include <math.h>

#include "join/kernel/bucket_index.h"
#include "join/kernel/load.h"
#include "join/kernel/step.h"

/* Fixed parts: queues, what partitions begin with. Small parts of a spilled join have little more. */
#define FIXED_BYTES (10 * 1024)

/* Of an arena: what is left between arrays. */
#define SHARED_FIXED_BYTES (2 * 1024)

/* Values of the digits by which tokens are sorted, at most. */
#define MOST_DIGIT_VALUES 2048

/* By which the usual size of records may change before it is looked at again. */
static const double PARTS_OF_USUAL_SIZE[] = {0.25, 0.03, 0};

void
JoinLoadInit(JoinLoad *load, Predicate predicate, JoinAlgorithm algorithm, Size limit)
{
	memset(load, 0, sizeof(*load));
	load->predicate = predicate;
	load->algorithm = algorithm;
	load->limit = limit;
	load->least_words = 1;
}

/*
 * The most words that signatures of usual sizes in this range want. They go up and down with the
 * size, so each one is looked at, once; for sizes that are too many, they have the most.
 */
static uint32
most_words(JoinLoad *load, uint64 least_usual, uint64 greatest_usual)
{
	uint32 words = 1;

	if (greatest_usual >= LOAD_MEMOIZED_WIDTHS && greatest_usual > least_usual)
		return SIGNATURE_MAX_WORDS;
	if (greatest_usual >= LOAD_MEMOIZED_WIDTHS)
		return ListSignatureWords(load->predicate, greatest_usual);
	for (uint64 size = Max(least_usual, 1); size <= greatest_usual && words < SIGNATURE_MAX_WORDS;
		 size++)
	{
		if (load->words_of_size[size] == 0)
			load->words_of_size[size] = ListSignatureWords(load->predicate, size);
		words = Max(words, load->words_of_size[size]);
	}
	return words;
}

void
JoinLoadExpect(JoinLoad *load, int64 least_size, int64 greatest_size)
{
	uint32 words = most_words(load, least_size, greatest_size);

	if (words != load->least_words)
		load->slack = 0;
	load->least_words = words;
}

uint64
JoinLoadFindPostings(JoinLoad *load, uint32 size)
{
	uint64 postings = PredicateProbingPrefix(load->predicate, size);

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
	return Min(load->postings, 3 * ListPartitionPostings(load->postings) + longest_list);
}

/* The index, with signatures of so many words. */
static uint64
list_index_bytes(const JoinLoad *load, const JoinRecords *records, uint64 words)
{
	uint64 classes = Min(records->record_count, load->largest);
	uint64 beyond = Min(load->postings, (uint64) load->largest * load->largest / 2);

	return records->record_count * 8 * words + load->postings * sizeof(ListPosting) +
		   beyond * sizeof(uint32) + classes * (sizeof(ListClass) + sizeof(SizeClass)) +
		   Min((uint64) load->largest * 2 + 1, 65536) * sizeof(int32) +
		   Min((uint64) records->dictionary.token_count + 1, 65536) * sizeof(uint16);
}

/* What a process has for itself while it makes the index, and joins its lists. */
static uint64
list_joiner_bytes(const JoinLoad *load, const JoinRecords *records, uint64 words)
{
	uint64 distinct = records->dictionary.token_count;
	uint64 sorted = sorted_postings(load, records);
	uint32 slices = ListSlices(load->predicate.measure, records->two_sided);
	uint64 partitions = Min(ListPartitions(load->postings) + 1, LIST_MAX_PARTITIONS + 1);

	return Min(distinct + 1, 65536) * sizeof(uint32) + partitions * 2 * sizeof(uint64) +
		   sorted * (16 + 8 * words) + Min(distinct, sorted) * slices * sizeof(uint32);
}

static uint64
prefix_index_bytes(const JoinLoad *load, const JoinRecords *records)
{
	uint64 sides = records->two_sided ? 2 : 1;
	uint64 classes = Min(records->record_count, load->largest);

	return load->postings * sizeof(Posting) +
		   sides * (records->dictionary.token_count + 2) * sizeof(uint64) +
		   classes * sizeof(SizeClass);
}

/* What a process has for itself while it probes. */
static uint64
prober_bytes(const JoinLoad *load, const JoinRecords *records)
{
	uint64 sides = records->two_sided ? 2 : 1;
	uint64 classes = Min(records->record_count, load->largest);

	return sides * records->dictionary.token_count * sizeof(uint64) +
		   records->record_count * (sizeof(int32) + sizeof(uint32)) + classes * 4 * sizeof(uint32);
}

static uint64
dictionary_bytes(const TokenDictionary *dictionary)
{
	return (uint64) dictionary->entry_capacity * sizeof(DictionaryEntry) +
		   dictionary->slot_count * sizeof(uint32);
}

/* The sizes of arrived records, and the table by which they are found: both double. */
static uint64
arrival_bytes(const JoinRecords *records)
{
	uint64 sizes = Max((uint64) records->arrival_count * 2, records->arrival_capacity);

	return sizes * (sizeof(ArrivedRecords) + 2 * sizeof(uint32));
}

/* While records arrive. Their content grows by half. */
static uint64
reading_bytes(const JoinRecords *records)
{
	uint64 content = Max(records->content_bound / 2 * 3, records->content_capacity);

	return content * sizeof(uint32) + arrival_bytes(records) +
		   dictionary_bytes(&records->dictionary);
}

/* The canonical records and their tokens. */
static uint64
record_bytes(const JoinRecords *records)
{
	return records->token_count * sizeof(uint32) +
		   (uint64) records->record_count * sizeof(JoinRecord) +
		   JoinRecordsBitmapWords(records) * sizeof(uint64) +
		   records->arrival_count * (2 * sizeof(uint32) + sizeof(int64)) + sizeof(uint32);
}

/* Of a self-join, which may have runs of equal keys. */
static uint64
key_run_bytes(const JoinRecords *records)
{
	return records->two_sided ? 0 : (uint64) records->record_count * sizeof(uint32);
}

/* From the last record on, until they are in order. */
static uint64
canonicalizing_bytes(const JoinRecords *records)
{
	const TokenDictionary *dictionary = &records->dictionary;
	uint64 distinct = dictionary->token_count;
	uint32 most = records->most_records;
	uint32 frequent = Min(distinct, records->token_count / DICTIONARY_FREQUENT);
	uint64 ranking =
		dictionary_bytes(dictionary) + frequent * sizeof(KeyedItem) + KeySortBytes(frequent);
	uint64 sorting = JoinBlockTokens(records) * (2 * sizeof(uint32) + sizeof(uint32 *)) +
					 Min(distinct * 2, MOST_DIGIT_VALUES) * 2 * sizeof(uint32);
	uint64 ordering = record_bytes(records) + sorting +
					  most * (sizeof(KeyedItem) + sizeof(uint32 *)) + KeySortBytes(most);
	uint64 values = records->buckets == NULL ? 0 : distinct * sizeof(uint64);

	return records->content_bound * sizeof(uint32) + arrival_bytes(records) +
		   (distinct + 1) * sizeof(uint32) + values + Max(ranking, ordering);
}

/* Lists of the small records of each side, where some need no common token. */
static uint64
size_join_bytes(const JoinLoad *load, const JoinRecords *records)
{
	if (PredicateGreatestFreeSize(load->predicate, 1) <= 0)
		return 0;
	return (uint64) records->record_count * 2 * sizeof(uint32);
}

/* By usual sizes in a range, of signatures of so many words. */
typedef struct Widths
{
	double least_usual;
	double greatest_usual;
	uint32 words;
} Widths;

/*
 * Whether records of such sizes may be joined one by one: never, where signatures are as wide as
 * is wanted, which is known and takes no time.
 */
static bool
may_lack_lists(const JoinLoad *load, Widths widths)
{
	return widths.words == SIGNATURE_MAX_WORDS &&
		   (ListsAreSlower(load->predicate, widths.least_usual, 1) ||
			ListsAreSlower(load->predicate, widths.greatest_usual, 1));
}

/* Where records are joined one by one. */
static uint64
by_record_bytes(const JoinLoad *load, const JoinRecords *records)
{
	return prefix_index_bytes(load, records) + prober_bytes(load, records);
}

/* Beside them, then. */
static uint64
joining_bytes(const JoinLoad *load, const JoinRecords *records, Widths widths)
{
	uint64 bytes = 0;

	if (load->algorithm == JOIN_BUCKETS)
		return BucketJoinBytes(records, load->largest, widths.words);
	if (load->algorithm == JOIN_AUTO)
		bytes = list_index_bytes(load, records, widths.words) +
				list_joiner_bytes(load, records, widths.words);
	if (load->algorithm != JOIN_AUTO || may_lack_lists(load, widths))
		bytes = Max(bytes, by_record_bytes(load, records));
	return bytes + size_join_bytes(load, records);
}

static Size
need_with_widths(const JoinLoad *load, const JoinRecords *records, Widths widths)
{
	uint64 arriving = Max(reading_bytes(records), canonicalizing_bytes(records));
	uint64 canonical = FIXED_BYTES + record_bytes(records) + key_run_bytes(records) +
					   joining_bytes(load, records, widths);

	return Max(arriving, canonical);
}

/* Where partitions begin, and by unit and partition, the next posting. */
static uint64
place_bytes(uint64 records, uint64 postings, uint32 participants)
{
	uint64 most_units = (uint64) participants * JOIN_UNITS_PER_PARTICIPANT;
	uint64 units = Min(most_units, records / LIST_UNIT_RECORDS + 1);
	uint64 partitions = Min(ListPartitions(postings) + 1 + most_units, LIST_MAX_PARTITIONS);

	return (LIST_MAX_PARTITIONS + 1) * sizeof(uint32) + (units + 1) * partitions * sizeof(uint64);
}

/* Of the records so far. */
static Widths
present_widths(const JoinLoad *load)
{
	double usual_size = load->postings == 0 ? 0 : load->set_sizes / load->postings;

	return (Widths){.least_usual = usual_size,
					.greatest_usual = usual_size,
					.words = signature_words(load, load->postings, load->set_sizes)};
}

Size
JoinLoadShared(const JoinLoad *load, JoinRecords *records, uint32 participants)
{
	Widths widths = present_widths(load);
	uint64 index = 0;

	JoinRecordsNumber(records);
	if (load->algorithm == JOIN_AUTO)
		index = list_index_bytes(load, records, widths.words) +
				place_bytes(records->record_count, load->postings, participants);
	if (load->algorithm == JOIN_BUCKETS)
		index = BucketIndexBytes(records, load->largest, widths.words) +
				(uint64) records->dictionary.token_count * sizeof(uint64);
	else if (load->algorithm != JOIN_AUTO || may_lack_lists(load, widths))
		index = Max(index, prefix_index_bytes(load, records));
	return SHARED_FIXED_BYTES + record_bytes(records) + key_run_bytes(records) +
		   records->record_count * sizeof(int64) + index;
}

Size
JoinLoadNeed(const JoinLoad *load, JoinRecords *records)
{
	JoinRecordsNumber(records);
	return need_with_widths(load, records, present_widths(load));
}

/* Bytes that are left of the limit, other ones being taken as well. */
static Size
slack_with_widths(const JoinLoad *load, const JoinRecords *records, Widths widths, Size other_bytes)
{
	Size need = need_with_widths(load, records, widths) + other_bytes;

	return load->limit - Min(need, load->limit);
}

/* For records whose usual size becomes no other than this one by more than such a part of it. */
static void
find_slack(JoinLoad *load, const JoinRecords *records, double usual_size, double part,
		   Size other_bytes)
{
	Widths widths = {.least_usual = usual_size * (1 - part),
					 .greatest_usual = usual_size * (1 + part)};

	widths.words = Max(load->least_words, most_words(load, (uint64) widths.least_usual,
													 (uint64) widths.greatest_usual));
	load->least_usual = widths.least_usual;
	load->greatest_usual = widths.greatest_usual;
	load->slack = slack_with_widths(load, records, widths, other_bytes);
}

bool
JoinLoadFindSlack(JoinLoad *load, JoinRecords *records, uint32 size, Size other_bytes)
{
	const TokenDictionary *dictionary = &records->dictionary;
	uint64 postings = JoinLoadPostings(load, size);
	double usual_size = 0;
	Size beside = other_bytes;

	if (records->buckets != NULL)
		load->bucket_bytes = BucketRecordBytes(records->buckets);
	JoinRecordsNumber(records);
	if (TokenDictionaryWouldGrow(dictionary, size))
		beside += TokenDictionaryGrowthBytes(dictionary);
	load->other_bytes = other_bytes;
	if (load->postings + postings > 0)
		usual_size = (load->set_sizes + (double) postings * size) / (load->postings + postings);
	for (uint32 i = 0; i < lengthof(PARTS_OF_USUAL_SIZE); i++)
	{
		find_slack(load, records, usual_size, PARTS_OF_USUAL_SIZE[i], beside);
		if (load->slack >= JoinLoadMostAdded(load, size))
			return true;
	}
	return false;
}
