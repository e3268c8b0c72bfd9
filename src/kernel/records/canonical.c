/*
 * canonical.c
 *		The canonical order: tokens as ranks, ascending within a record;
 *		records by (size, content, side, row).
 *
 * A counting sort groups the records by size. Size by size, tokens are sorted in place, then
 * records are put in order and copied once.
 *
 * Sorting each record by comparisons would cost more than the join. Small sets are sorted in
 * registers (rank_sort.h). Otherwise a block of records is sorted at once, by radix, as pairs
 * (rank, record), and the ranks are written back to their records.
 */
#include "c.h"

#include "port/pg_bitutils.h"
#include "kernel/records/key_sort.h"
#include "kernel/records/rank_sort.h"
#include "kernel/records/records.h"

/* Counters of a digit fit into the first-level cache. */
#define MOST_DIGIT_BITS 11

/*
 * Tokens of a block, which the second-level cache holds twice; at most this part of all tokens.
 * Below the least, comparisons are faster.
 */
#define MOST_BLOCK 32768
#define PART_OF_BLOCK 8
#define LEAST_BLOCK 256

/* Of all tokens, the part that a class may have whose sets are gathered. */
#define PART_GATHERED 4

/* Records sorted in registers by one call, while the next are prefetched. */
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
	const JoinRecords *records;
	uint32 size;
	uint32 count;
	uint32 **sets;		/* by record, its ids, later its ranks */
	const uint32 *rows; /* by record */
} SizeGroup;

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
		uint32 *ids = group->sets[first + i];

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
sorter_init(BlockSorter *sorter, const JoinRecords *records, const uint32 *rank_of_id)
{
	JoinHost *host = records->host;
	int bits = KeyBits(records->distinct_tokens);

	sorter->host = host;
	sorter->rank_of_id = rank_of_id;
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

		for (uint32 i = first + count; i < Min(group->count, first + count + BATCH); i++)
			JoinPrefetchTokens(group->sets[i]);
		sorter->sort_small(sorter->rank_of_id, group->sets + first, count, group->size);
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
			sort_record(sorter, group->sets[first], size);
		}
	}
}

/* A key is the leading 64 bits of the ranks, each in as many bits as ranks need. */
static void
make_keys(const SizeGroup *group, KeyedItem *order)
{
	int token_bits = KeyBits(group->records->distinct_tokens);

	for (uint32 i = 0; i < group->count; i++)
	{
		const uint32 *tokens = group->sets[i];
		uint64 key = 0;
		int left = 64;
		uint32 k = 0;

		JoinTick(group->records->host, 1);
		if (i + RECORDS_AHEAD < group->count)
			__builtin_prefetch(group->sets[i + RECORDS_AHEAD]);
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
	const JoinRecords *records = group->records;
	const uint32 *x = group->sets[a];
	const uint32 *y = group->sets[b];
	uint32 common = common_tokens(records->host, x, y, group->size);

	if (common < group->size)
		return x[common] < y[common] ? -1 : 1;
	return group->rows[a] < group->rows[b] ? -1 : group->rows[a] > group->rows[b];
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

static void
copy_records(JoinRecords *records, const SizeGroup *group, const KeyedItem *order,
			 uint32 size_class)
{
	JoinHost *host = records->host;
	uint32 size = group->size;
	uint32 first = records->class_starts[size_class];
	uint32 *tokens = records->tokens + (records->class_origins[size_class] + (int64) first * size);

	for (uint32 i = 0; i < group->count; i++, tokens += size)
	{
		const uint32 *from = group->sets[order[i].item];
		uint32 number = first + i;

		JoinTick(host, size);
		if (i + RECORDS_AHEAD < group->count)
			JoinPrefetchTokens(group->sets[order[i + RECORDS_AHEAD].item]);
		__builtin_prefetch(&records->records[number + RECORDS_AHEAD], 1);
		__builtin_prefetch(tokens + (uint64) RECORDS_AHEAD * size, 1);
		copy_tokens(host, tokens, from, size);
		if (i > 0 && order[i].key == order[i - 1].key &&
			common_tokens(host, tokens, tokens - size, size) == size)
			records->repeats[number / 64] |= UINT64CONST(1) << (number % 64);
		records->records[number] =
			(JoinRecord){.row = group->rows[order[i].item], .size = size, .size_class = size_class};
	}
}

static uint32 *
count_sizes(const JoinRecords *records)
{
	uint32 *counts = JoinAllocateZero(records->host, (Size) records->largest + 1, sizeof(uint32));

	for (uint32 i = 0; i < records->record_count; i++)
	{
		JoinStrideTick(records->host, i);
		counts[records->arrived[i].size]++;
	}
	return counts;
}

/* Makes a class of each size that occurs; counts become first records. */
static void
make_classes(JoinRecords *records, uint32 *counts)
{
	JoinHost *host = records->host;
	uint32 first = 0;
	uint64 offset = 0;

	records->class_count = 0;
	for (uint32 size = 1; size <= records->largest; size++)
	{
		JoinStrideTick(host, size);
		records->class_count += counts[size] > 0;
	}
	records->class_sizes = JoinAllocateShared(host, records->class_count, sizeof(uint32));
	records->class_starts = JoinAllocateShared(host, records->class_count + 1, sizeof(uint32));
	records->class_origins = JoinAllocateShared(host, records->class_count, sizeof(int64));
	for (uint32 size = 1, c = 0; size <= records->largest; size++)
	{
		uint32 count = counts[size];

		JoinStrideTick(host, size);
		if (count == 0)
			continue;
		counts[size] = first;
		records->class_sizes[c] = size;
		records->class_starts[c] = first;
		records->class_origins[c++] = (int64) offset - (int64) first * size;
		first += count;
		offset += (uint64) count * size;
	}
	records->class_starts[records->class_count] = first;
}

/* Writes sets and rows in the order of sizes; frees the arrived records. */
static void
group_by_size(JoinRecords *records, uint32 **sets, uint32 *rows)
{
	uint32 *next = count_sizes(records);
	uint32 *ids = records->ids;

	make_classes(records, next);
	for (uint32 i = 0; i < records->record_count; i++)
	{
		uint32 size = records->arrived[i].size;
		uint32 place = next[size]++;

		JoinStrideTick(records->host, i);
		sets[place] = ids;
		rows[place] = records->arrived[i].row;
		ids += size;
	}
	JoinRelease(records->host, next, (Size) records->largest + 1, sizeof(uint32));
	JoinRelease(records->host, records->arrived, records->arrived_capacity, sizeof(ArrivedRecord));
	records->arrived = NULL;
}

static uint32
largest_class(const JoinRecords *records)
{
	uint32 largest = 0;

	for (uint32 c = 0; c < records->class_count; c++)
		largest = Max(largest, records->class_starts[c + 1] - records->class_starts[c]);
	return largest;
}

/*
 * Copies the sets of a class to where they follow each other: later passes take them in another
 * order. A class of more tokens is dense enough.
 */
static void
gather_sets(const SizeGroup *group, uint32 *gathered, uint64 most_tokens)
{
	if ((uint64) group->count * group->size > most_tokens)
		return;
	for (uint32 i = 0; i < group->count; i++, gathered += group->size)
	{
		JoinTick(group->records->host, group->size);
		if (i + RECORDS_AHEAD < group->count)
			JoinPrefetchTokens(group->sets[i + RECORDS_AHEAD]);
		copy_tokens(group->records->host, gathered, group->sets[i], group->size);
		group->sets[i] = gathered;
	}
}

static void
order_records(JoinRecords *records, const uint32 *rank_of_id)
{
	JoinHost *host = records->host;
	uint32 count = records->record_count;
	uint32 **sets = JoinAllocate(host, count, sizeof(uint32 *));
	uint32 *rows = JoinAllocate(host, count, sizeof(uint32));
	uint64 most_gathered = records->token_count / PART_GATHERED;
	uint32 most;
	uint32 *gathered;
	KeyedItem *order;
	BlockSorter sorter;

	group_by_size(records, sets, rows);
	records->repeats =
		JoinAllocateSharedZero(host, JoinRecordsBitmapWords(records), sizeof(uint64));
	records->records = JoinAllocateShared(host, count, sizeof(JoinRecord));
	records->tokens = JoinAllocateShared(host, records->token_count, sizeof(uint32));
	most = largest_class(records);
	order = JoinAllocate(host, most, sizeof(KeyedItem));
	gathered = JoinAllocate(host, most_gathered, sizeof(uint32));
	sorter_init(&sorter, records, rank_of_id);
	for (uint32 c = 0; c < records->class_count; c++)
	{
		uint32 first = records->class_starts[c];
		SizeGroup group = {.records = records,
						   .size = records->class_sizes[c],
						   .count = records->class_starts[c + 1] - first,
						   .sets = sets + first,
						   .rows = rows + first};

		gather_sets(&group, gathered, most_gathered);
		if (group.size <= sorter.most_small)
			sort_small_sets(&sorter, &group);
		else
			sort_blocks(&sorter, &group);
		make_keys(&group, order);
		KeySort(order, group.count, compare_contents, &group, host);
		copy_records(records, &group, order, c);
	}
	sorter_free(&sorter);
	JoinRelease(host, gathered, most_gathered, sizeof(uint32));
	JoinRelease(host, order, most, sizeof(KeyedItem));
	JoinRelease(host, rows, count, sizeof(uint32));
	JoinRelease(host, sets, count, sizeof(uint32 *));
}

/* Tokens' values for bucket keys, before the dictionary is freed. */
static void
keep_values(JoinRecords *records, const uint32 *rank_of_id)
{
	const DictionaryEntry *entries = records->dictionary.entries;

	records->values = JoinAllocateShared(records->host, records->distinct_tokens, sizeof(uint64));
	for (uint32 id = 1; id <= records->distinct_tokens; id++)
	{
		JoinStrideTick(records->host, id);
		records->values[rank_of_id[id]] = BucketTokenValue(records->buckets, entries[id].token);
	}
}

/* Returns ranks by id. */
static uint32 *
rank_tokens(JoinRecords *records)
{
	uint32 *rank_of_id;

	records->distinct_tokens = records->dictionary.token_count;
	rank_of_id = JoinAllocate(records->host, records->distinct_tokens + 1, sizeof(uint32));
	records->first_shared_token = TokenDictionaryRank(&records->dictionary, rank_of_id);
	if (records->buckets != NULL)
		keep_values(records, rank_of_id);
	TokenDictionaryFree(&records->dictionary);
	return rank_of_id;
}

void
JoinRecordsCanonicalize(JoinRecords *records)
{
	uint32 *rank_of_id;

	JoinRecordsNumber(records);
	rank_of_id = rank_tokens(records);
	order_records(records, rank_of_id);
	JoinRelease(records->host, rank_of_id, records->distinct_tokens + 1, sizeof(uint32));
	JoinRecordsFreeArrived(records);
}
