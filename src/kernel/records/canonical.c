/*
 * canonical.c
 *		The canonical order: tokens as ranks, ascending within a record;
 *		records by (size, content, side, row).
 *
 * A counting sort moves the records to their class of size. Classes are then put in order one by
 * one: tokens are sorted in place, then records. Workers share the classes.
 *
 * Sorting each record by comparisons would cost more than the join. Small sets are sorted in
 * registers (rank_sort.h). Otherwise a block of records is sorted at once, by radix, as pairs
 * (rank, record), and the ranks are written back to their records.
 */
#include "c.h"

#include "port/pg_bitutils.h"
#include "kernel/records/key_sort.h"
#include "kernel/records/rank_sort.h"
#include "kernel/records/record_weights.h"
#include "measure/token_weight.h"

/* Counters of a digit fit into the first-level cache. */
#define MOST_DIGIT_BITS 11

/*
 * Tokens of a block, which the second-level cache holds twice; at most this part of all tokens.
 * Below the least, comparisons are faster.
 */
#define MOST_BLOCK 32768
#define PART_OF_BLOCK 8
#define LEAST_BLOCK 256

/* Records sorted in registers by one call. */
#define BATCH 128

/* The rank, and in the lower bits the record's number in its block. */
typedef uint32 BlockToken;

typedef struct BlockSorter
{
	JoinHost *host;
	const uint32 *rank_of_id;
	RankSort sort_small;
	uint32 most_small; /* largest set for sort_small, or 0 */
	uint32 block;	   /* tokens */
	int record_bits;
	int digits;
	int digit_bits;
	BlockToken *from;
	BlockToken *to;
	uint32 **next;	   /* by record of the block, place of its next rank */
	uint32 *counts[2]; /* by value, of this digit and the next */
} BlockSorter;

/* Records of one size, in the order of arrival. */
typedef struct SizeGroup
{
	JoinHost *host;
	uint32 size;
	uint32 count;
	uint32 *tokens; /* record by record: ids, later ranks */
	JoinRecord *records;
} SizeGroup;

static inline uint32 *
tokens_of(const SizeGroup *group, uint32 record)
{
	return group->tokens + (uint64) record * group->size;
}

static void
counts_to_starts(uint32 *counts, uint32 values)
{
	uint32 so_far = 0;

	for (uint32 i = 0; i < values; i++)
	{
		uint32 count = counts[i];

		counts[i] = so_far;
		so_far += count;
	}
}

/* Looks up ranks, and counts the first digit. */
static void
look_up_ranks(BlockSorter *sorter, const SizeGroup *group, uint32 first, uint32 count,
			  uint32 *restrict counts)
{
	const uint32 *rank_of_id = sorter->rank_of_id;
	BlockToken *restrict to = sorter->from;
	uint32 mask = ((uint32) 1 << sorter->digit_bits) - 1;
	int record_bits = sorter->record_bits;

	for (uint32 i = 0; i < count; i++)
	{
		uint32 *ids = tokens_of(group, first + i);

		sorter->next[i] = ids;
		for (uint32 k = 0; k < group->size; k++)
		{
			uint32 rank = rank_of_id[ids[k]];

			counts[rank & mask]++;
			*to++ = rank << record_bits | i;
		}
	}
}

/* Sorts by the digit above shift, and counts the next one. */
static void
sort_by_digit(const BlockToken *restrict from, BlockToken *restrict to, uint32 count, int shift,
			  int digit_bits, uint32 *restrict starts, uint32 *restrict next_counts)
{
	uint32 mask = ((uint32) 1 << digit_bits) - 1;

	for (uint32 i = 0; i < count; i++)
	{
		BlockToken token = from[i];
		uint32 digits = token >> shift;

		to[starts[digits & mask]++] = token;
		next_counts[digits >> digit_bits & mask]++;
	}
}

static void
distribute(const BlockToken *restrict from, uint32 count, int record_bits, uint32 **next)
{
	uint32 record_mask = ((uint32) 1 << record_bits) - 1;

	for (uint32 i = 0; i < count; i++)
		*next[from[i] & record_mask]++ = from[i] >> record_bits;
}

static void
sort_block(BlockSorter *sorter, const SizeGroup *group, uint32 first, uint32 count)
{
	uint32 values = (uint32) 1 << sorter->digit_bits;
	uint32 tokens = count * group->size;

	memset(sorter->counts[0], 0, values * sizeof(uint32));
	look_up_ranks(sorter, group, first, count, sorter->counts[0]);
	for (int digit = 0; digit < sorter->digits; digit++)
	{
		uint32 *starts = sorter->counts[digit & 1];
		uint32 *next_counts = sorter->counts[(digit + 1) & 1];
		BlockToken *from = sorter->from;

		counts_to_starts(starts, values);
		memset(next_counts, 0, values * sizeof(uint32));
		sort_by_digit(from, sorter->to, tokens, sorter->record_bits + digit * sorter->digit_bits,
					  sorter->digit_bits, starts, next_counts);
		sorter->from = sorter->to;
		sorter->to = from;
	}
	distribute(sorter->from, tokens, sorter->record_bits, sorter->next);
	JoinTick(sorter->host, (uint64) tokens * (sorter->digits + 2));
}

static inline int
compare_ranks(const uint32 *a, const uint32 *b, JoinHost *host)
{
	JoinTick(host, 1);
	return *a < *b ? -1 : *a > *b;
}

#define ST_SORT sort_ranks
#define ST_ELEMENT_TYPE uint32
#define ST_COMPARE(a, b, host) compare_ranks(a, b, host)
#define ST_COMPARE_ARG_TYPE JoinHost
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

static void
sort_record(const BlockSorter *sorter, uint32 *tokens, uint32 size)
{
	for (uint32 k = 0; k < size; k++)
	{
		JoinStrideTick(sorter->host, k);
		tokens[k] = sorter->rank_of_id[tokens[k]];
	}
	sort_ranks(tokens, size, sorter->host);
}

static void
sorter_init(BlockSorter *sorter, const JoinRecords *records)
{
	JoinHost *host = records->host;
	int bits = KeyBits(records->distinct_tokens);

	sorter->host = host;
	sorter->rank_of_id = records->rank_of_id;
	sorter->sort_small = RankSortBest();
	sorter->most_small = sorter->sort_small != NULL ? RANK_SORT_MOST : 0;
	sorter->block = (uint32) Min(records->token_count / PART_OF_BLOCK, MOST_BLOCK);
	sorter->record_bits = Min(32 - bits, 16);
	sorter->digits = (bits + MOST_DIGIT_BITS - 1) / MOST_DIGIT_BITS;
	sorter->digit_bits = (bits + sorter->digits - 1) / sorter->digits;
	sorter->from = JoinAllocate(host, sorter->block, sizeof(BlockToken));
	sorter->to = JoinAllocate(host, sorter->block, sizeof(BlockToken));
	sorter->next = JoinAllocate(host, sorter->block, sizeof(uint32 *));
	for (int i = 0; i < 2; i++)
		sorter->counts[i] = JoinAllocate(host, 1 << sorter->digit_bits, sizeof(uint32));
}

static void
sorter_free(BlockSorter *sorter)
{
	JoinHost *host = sorter->host;

	for (int i = 0; i < 2; i++)
		JoinRelease(host, sorter->counts[i], 1 << sorter->digit_bits, sizeof(uint32));
	JoinRelease(host, sorter->next, sorter->block, sizeof(uint32 *));
	JoinRelease(host, sorter->to, sorter->block, sizeof(BlockToken));
	JoinRelease(host, sorter->from, sorter->block, sizeof(BlockToken));
}

static void
sort_small_sets(BlockSorter *sorter, const SizeGroup *group)
{
	for (uint32 first = 0; first < group->count; first += BATCH)
	{
		uint32 count = Min(group->count - first, BATCH);

		sorter->sort_small(sorter->rank_of_id, tokens_of(group, first), count, group->size);
		JoinTick(sorter->host, (uint64) count * group->size);
	}
}

static void
sort_blocks(BlockSorter *sorter, const SizeGroup *group)
{
	uint32 size = group->size;
	uint32 most = Min((uint32) 1 << sorter->record_bits, sorter->block / size);

	for (uint32 first = 0, count; first < group->count; first += count)
	{
		count = Min(group->count - first, most);
		if (count > 0 && count * size >= LEAST_BLOCK)
			sort_block(sorter, group, first, count);
		else
		{
			count = 1;
			sort_record(sorter, tokens_of(group, first), size);
		}
	}
}

/* A key is the leading 64 bits of the ranks, each in as many bits as ranks need. */
static void
make_keys(const SizeGroup *group, int token_bits, KeyedItem *order)
{
	for (uint32 i = 0; i < group->count; i++)
	{
		const uint32 *tokens = tokens_of(group, i);
		uint64 key = 0;
		int left = 64;
		uint32 k = 0;

		JoinTick(group->host, 1);
		for (; left >= token_bits; left -= token_bits, k++)
			key = key << token_bits | (k < group->size ? tokens[k] : 0);
		if (left > 0)
			key = key << left | (k < group->size ? tokens[k] >> (token_bits - left) : 0);
		order[i] = (KeyedItem){.key = key, .item = i};
	}
}

/* Length of the common prefix. */
static uint32
common_tokens(JoinHost *host, const uint32 *x, const uint32 *y, uint32 size)
{
	uint32 i = 0;

	while (i < size)
	{
		uint32 end = JoinStrideEnd(host, i, size);

		while (i < end && x[i] == y[i])
			i++;
		if (i < end)
			break;
	}
	JoinTick(host, i % JOIN_STRIDE);
	return i;
}

static int
compare_contents(uint32 a, uint32 b, void *context)
{
	const SizeGroup *group = context;
	const uint32 *x = tokens_of(group, a);
	const uint32 *y = tokens_of(group, b);
	uint32 common = common_tokens(group->host, x, y, group->size);

	if (common < group->size)
		return x[common] < y[common] ? -1 : 1;
	return group->records[a].row < group->records[b].row
			   ? -1
			   : group->records[a].row > group->records[b].row;
}

static inline void
copy_tokens(JoinHost *host, uint32 *to, const uint32 *from, uint32 count)
{
	for (uint32 i = 0, end; i < count; i = end)
	{
		end = JoinStrideEnd(host, i, count);
		memcpy(to + i, from + i, (end - i) * sizeof(uint32));
	}
}

/* A class as it was before its records were put in order. */
typedef struct Unordered
{
	uint64 token_capacity;
	uint32 capacity; /* records */
	uint32 *tokens;
	uint32 *rows;
	KeyedItem *order;
} Unordered;

static void
copy_class(const SizeGroup *group, Unordered *unordered)
{
	for (uint32 i = 0; i < group->count; i++)
	{
		JoinTick(group->host, group->size);
		unordered->rows[i] = group->records[i].row;
		copy_tokens(group->host, unordered->tokens + (uint64) i * group->size, tokens_of(group, i),
					group->size);
	}
}

/* Atomically: classes of two units may share a word of the bitmap. */
static inline void
set_repeats(JoinRecords *records, uint32 number)
{
	__atomic_fetch_or(&records->repeats[number / 64], UINT64CONST(1) << (number % 64),
					  __ATOMIC_RELAXED);
}

static void
put_in_order(JoinRecords *records, const SizeGroup *group, const Unordered *unordered)
{
	const KeyedItem *order = unordered->order;
	uint32 size = group->size;
	uint32 first = group->records - records->records;

	for (uint32 i = 0; i < group->count; i++)
	{
		uint32 *tokens = tokens_of(group, i);

		JoinTick(group->host, size);
		if (i + RECORDS_AHEAD < group->count)
			JoinPrefetchTokens(unordered->tokens + (uint64) order[i + RECORDS_AHEAD].item * size);
		copy_tokens(group->host, tokens, unordered->tokens + (uint64) order[i].item * size, size);
		group->records[i].row = unordered->rows[order[i].item];
		if (i > 0 && order[i].key == order[i - 1].key &&
			common_tokens(group->host, tokens, tokens - size, size) == size)
			set_repeats(records, first + i);
	}
}

static int64
total_weight(const JoinRecords *records, const uint32 *tokens, uint32 size)
{
	bool squares = records->weighing.squares;
	int64 total = 0;

	JoinTick(records->host, size);
	for (uint32 k = 0; k < size; k++)
		total += TokenWeightTerm(records->weights[tokens[k]], squares);
	return total;
}

static void
weigh_records(JoinRecords *records, const SizeGroup *group)
{
	uint32 first = group->records - records->records;

	for (uint32 i = 0; i < group->count; i++)
		records->totals[first + i] = total_weight(records, tokens_of(group, i), group->size);
}

/* Of a size: where its next record goes. */
typedef struct SizePlace
{
	uint32 next; /* number of a record; until classes are made, how many have the size */
	uint32 size_class;
} SizePlace;

static SizePlace *
count_sizes(const JoinRecords *records)
{
	SizePlace *places =
		JoinAllocateZero(records->host, (Size) records->largest + 1, sizeof(SizePlace));

	for (uint32 i = 0; i < records->record_count; i++)
	{
		JoinStrideTick(records->host, i);
		places[records->arrived[i].size].next++;
	}
	return places;
}

/* Makes a class of each size that occurs. */
static void
make_classes(JoinRecords *records, SizePlace *places)
{
	JoinHost *host = records->host;
	uint32 first = 0;
	uint64 offset = 0;

	records->class_count = 0;
	for (uint32 size = 1; size <= records->largest; size++)
	{
		JoinStrideTick(host, size);
		records->class_count += places[size].next > 0;
	}
	records->class_sizes = JoinAllocateShared(host, records->class_count, sizeof(uint32));
	records->class_starts = JoinAllocateShared(host, records->class_count + 1, sizeof(uint32));
	records->class_origins = JoinAllocateShared(host, records->class_count, sizeof(int64));
	for (uint32 size = 1, c = 0; size <= records->largest; size++)
	{
		uint32 count = places[size].next;

		JoinStrideTick(host, size);
		if (count == 0)
			continue;
		places[size] = (SizePlace){.next = first, .size_class = c};
		records->class_sizes[c] = size;
		records->class_starts[c] = first;
		records->class_origins[c++] = (int64) offset - (int64) first * size;
		first += count;
		offset += (uint64) count * size;
	}
	records->class_starts[records->class_count] = first;
}

/* Moves each record to its class; frees the arrived ones. */
static void
group_by_size(JoinRecords *records)
{
	JoinHost *host = records->host;
	SizePlace *places = count_sizes(records);
	const uint32 *ids = records->ids;

	make_classes(records, places);
	records->repeats =
		JoinAllocateSharedZero(host, JoinRecordsBitmapWords(records), sizeof(uint64));
	records->records = JoinAllocateShared(host, records->record_count, sizeof(JoinRecord));
	records->tokens = JoinAllocateShared(host, records->token_count, sizeof(uint32));
	for (uint32 i = 0; i < records->record_count; i++)
	{
		ArrivedRecord arrived = records->arrived[i];
		SizePlace *place = &places[arrived.size];
		JoinRecord *record = &records->records[place->next++];

		JoinTick(host, arrived.size);
		*record =
			(JoinRecord){.row = arrived.row, .size = arrived.size, .size_class = place->size_class};
		copy_tokens(host, unconstify(uint32 *, JoinRecordTokens(records, record)), ids,
					arrived.size);
		ids += arrived.size;
	}
	JoinRelease(host, places, (Size) records->largest + 1, sizeof(SizePlace));
	JoinRecordsFreeArrived(records);
}

static SizeGroup
group_of_class(const JoinRecords *records, uint32 size_class)
{
	uint32 first = records->class_starts[size_class];
	JoinRecord *record = &records->records[first];

	return (SizeGroup){.host = records->host,
					   .size = records->class_sizes[size_class],
					   .count = records->class_starts[size_class + 1] - first,
					   .tokens = unconstify(uint32 *, JoinRecordTokens(records, record)),
					   .records = record};
}

static void
unordered_init(Unordered *unordered, const JoinRecords *records, uint32 first_class,
			   uint32 end_class)
{
	JoinHost *host = records->host;

	memset(unordered, 0, sizeof(*unordered));
	for (uint32 c = first_class; c < end_class; c++)
	{
		SizeGroup group = group_of_class(records, c);

		unordered->capacity = Max(unordered->capacity, group.count);
		unordered->token_capacity =
			Max(unordered->token_capacity, (uint64) group.count * group.size);
	}
	unordered->tokens = JoinAllocate(host, unordered->token_capacity, sizeof(uint32));
	unordered->rows = JoinAllocate(host, unordered->capacity, sizeof(uint32));
	unordered->order = JoinAllocate(host, unordered->capacity, sizeof(KeyedItem));
}

static void
unordered_free(Unordered *unordered, JoinHost *host)
{
	JoinRelease(host, unordered->order, unordered->capacity, sizeof(KeyedItem));
	JoinRelease(host, unordered->rows, unordered->capacity, sizeof(uint32));
	JoinRelease(host, unordered->tokens, unordered->token_capacity, sizeof(uint32));
}

/* The first class that begins with the token of this number or later. */
static uint32
class_from_token(const JoinRecords *records, uint64 number)
{
	uint32 c = 0;

	while (c < records->class_count && group_of_class(records, c).tokens < records->tokens + number)
		c++;
	return c;
}

void
JoinRecordsOrder(JoinRecords *records, uint32 unit, uint32 units)
{
	uint32 first = class_from_token(records, records->token_count / units * unit);
	uint32 end = unit + 1 == units
					 ? records->class_count
					 : class_from_token(records, records->token_count / units * (unit + 1));
	int token_bits = KeyBits(records->distinct_tokens);
	Unordered unordered;
	BlockSorter sorter;

	if (first == end)
		return;
	unordered_init(&unordered, records, first, end);
	sorter_init(&sorter, records);
	for (uint32 c = first; c < end; c++)
	{
		SizeGroup group = group_of_class(records, c);

		if (group.size <= sorter.most_small)
			sort_small_sets(&sorter, &group);
		else
			sort_blocks(&sorter, &group);
		make_keys(&group, token_bits, unordered.order);
		KeySort(unordered.order, group.count, compare_contents, &group, records->host);
		copy_class(&group, &unordered);
		put_in_order(records, &group, &unordered);
		if (records->weighing.is_weighted)
			weigh_records(records, &group);
	}
	sorter_free(&sorter);
	unordered_free(&unordered, records->host);
}

/* Tokens' values for bucket keys, before the dictionary is freed. */
static void
keep_values(JoinRecords *records)
{
	const DictionaryEntry *entries = records->dictionary.entries;

	records->values = JoinAllocateShared(records->host, records->distinct_tokens, sizeof(uint64));
	for (uint32 id = 1; id <= records->distinct_tokens; id++)
	{
		JoinStrideTick(records->host, id);
		records->values[records->rank_of_id[id]] =
			BucketTokenValue(records->buckets, entries[id].token);
	}
}

static void
rank_tokens(JoinRecords *records)
{
	records->distinct_tokens = records->dictionary.token_count;
	records->rank_of_id =
		JoinAllocateShared(records->host, records->distinct_tokens + 1, sizeof(uint32));
	records->first_shared_token = TokenDictionaryRank(&records->dictionary, records->rank_of_id);
	if (records->buckets != NULL)
		keep_values(records);
	if (records->weighing.is_weighted)
		JoinWeightsRank(records);
	TokenDictionaryFree(&records->dictionary);
}

void
JoinRecordsGroup(JoinRecords *records)
{
	JoinRecordsNumber(records);
	rank_tokens(records);
	group_by_size(records);
	if (records->weighing.is_weighted)
		records->totals = JoinAllocateShared(records->host, records->record_count, sizeof(int64));
}

void
JoinRecordsFreeRanks(JoinRecords *records)
{
	JoinRelease(records->host, records->rank_of_id, records->distinct_tokens + 1, sizeof(uint32));
	records->rank_of_id = NULL;
}
