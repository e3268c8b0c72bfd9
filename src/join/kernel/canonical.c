/*
 * canonical.c
 *		The canonical order: tokens as ranks, ascending within a record;
 *		records by (size, content, row), one after the other in memory.
 *
 * Sorting the tokens of each record by comparisons would cost more than the
 * join. Instead, blocks of records are sorted at once by radix, as pairs (rank,
 * record): by the digits of the rank, the least significant first, and then
 * by the record, which is where each pair's token is written to. A block is
 * small enough for the second-level cache.
 *
 * Both sorts, of the tokens of each record and of the records of each size,
 * are steps whose units can be done by several processes.
 */
#include "c.h"

#include "port/pg_bitutils.h"
#include "join/kernel/step.h"

/* Tokens that are sorted at once. */
#define BLOCK_TOKENS 65536

/* Digits of so many bits are counted in the first-level cache. */
#define MOST_DIGIT_BITS 11

/* A rank, and in the lower bits, as many as it leaves, the record's place in its block. */
typedef uint32 BlockToken;

typedef struct BlockSorter
{
	const JoinRecords *records;
	JoinHost *host;
	int record_bits;
	int digits;
	int digit_bits;
	BlockToken *from;
	BlockToken *to;
	uint32 *next;	/* by record of the block: where its next token goes */
	uint32 *counts; /* by digit and its value */
} BlockSorter;

static inline uint32
digit_of(const BlockSorter *sorter, BlockToken token, int digit)
{
	return (token >> (sorter->record_bits + digit * sorter->digit_bits)) &
		   ((1 << sorter->digit_bits) - 1);
}

static Size
count_of_counts(const BlockSorter *sorter)
{
	return (Size) sorter->digits << sorter->digit_bits;
}

/* Counts become the places where the values of each digit begin. */
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

/* The sorted ranks of the records first .. end - 1, of count tokens in all. */
static void
sort_block(BlockSorter *sorter, uint32 first, uint32 end, uint32 count, uint32 *sorted)
{
	const JoinRecords *records = sorter->records;
	uint32 record_mask = ((uint32) 1 << sorter->record_bits) - 1;
	uint32 filled = 0;

	memset(sorter->counts, 0, count_of_counts(sorter) * sizeof(uint32));
	for (uint32 i = first; i < end; i++)
	{
		const uint32 *ids = JoinRecordTokens(records, &records->records[i]);

		sorter->next[i - first] = filled;
		for (uint32 k = 0; k < records->records[i].size; k++)
		{
			BlockToken token = records->rank_of_id[ids[k]] << sorter->record_bits | (i - first);

			for (int digit = 0; digit < sorter->digits; digit++)
				sorter->counts[(digit << sorter->digit_bits) + digit_of(sorter, token, digit)]++;
			sorter->from[filled++] = token;
		}
	}
	for (int digit = 0; digit < sorter->digits; digit++)
	{
		uint32 *starts = sorter->counts + (digit << sorter->digit_bits);
		BlockToken *swap = sorter->from;

		counts_to_starts(starts, 1 << sorter->digit_bits);
		for (uint32 i = 0; i < count; i++)
			sorter->to[starts[digit_of(sorter, sorter->from[i], digit)]++] = sorter->from[i];
		sorter->from = sorter->to;
		sorter->to = swap;
	}
	for (uint32 i = 0; i < count; i++)
		sorted[sorter->next[sorter->from[i] & record_mask]++] =
			sorter->from[i] >> sorter->record_bits;
	JoinTick(sorter->host, (uint64) count * (sorter->digits + 2));
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

/* A record that is larger than a block. */
static void
sort_large(const BlockSorter *sorter, const JoinRecord *record, uint32 *sorted)
{
	const uint32 *ids = JoinRecordTokens(sorter->records, record);

	for (uint32 k = 0; k < record->size; k++)
	{
		JoinStrideTick(sorter->host, k);
		sorted[k] = sorter->records->rank_of_id[ids[k]];
	}
	sort_ranks(sorted, record->size, sorter->host);
}

/*
 * The tokens of canonical records stand one after the other. Units divide them
 * evenly: this is the first record whose first token is not before the unit's
 * share, and where that token is.
 */
static uint32
first_of_unit(const JoinRecords *records, uint32 unit, uint32 units, uint64 *offset)
{
	uint64 share = (uint64) ((double) records->token_count / units * unit);

	*offset = 0;
	for (uint32 c = 0; c < records->class_count; c++)
	{
		uint32 count = records->class_starts[c + 1] - records->class_starts[c];
		uint64 tokens = (uint64) count * records->class_sizes[c];

		if (unit<units && * offset + tokens> share)
		{
			uint64 before = (share - Min(share, *offset) + records->class_sizes[c] - 1) /
							records->class_sizes[c];

			*offset += before * records->class_sizes[c];
			return records->class_starts[c] + before;
		}
		*offset += tokens;
	}
	return records->record_count;
}

static void
sorter_init(BlockSorter *sorter, const JoinRecords *records)
{
	JoinHost *host = records->host;
	uint32 block = Min(records->token_count, BLOCK_TOKENS);
	int bits = pg_leftmost_one_pos32(records->distinct_tokens | 1) + 1;

	sorter->records = records;
	sorter->host = host;
	sorter->record_bits = Min(32 - bits, 16);
	sorter->digits = (bits + MOST_DIGIT_BITS - 1) / MOST_DIGIT_BITS;
	sorter->digit_bits = (bits + sorter->digits - 1) / sorter->digits;
	sorter->from = JoinAllocate(host, block, sizeof(BlockToken));
	sorter->to = JoinAllocate(host, block, sizeof(BlockToken));
	sorter->next = JoinAllocate(host, block, sizeof(uint32));
	sorter->counts = JoinAllocate(host, count_of_counts(sorter), sizeof(uint32));
}

static void
sorter_free(BlockSorter *sorter)
{
	JoinHost *host = sorter->host;
	uint32 block = Min(sorter->records->token_count, BLOCK_TOKENS);

	JoinRelease(host, sorter->counts, count_of_counts(sorter), sizeof(uint32));
	JoinRelease(host, sorter->next, block, sizeof(uint32));
	JoinRelease(host, sorter->to, block, sizeof(BlockToken));
	JoinRelease(host, sorter->from, block, sizeof(BlockToken));
}

/* Ids, in the order of arrival, become sorted ranks in the order of the records. */
void
JoinRecordsSortTokens(JoinRecords *records, uint32 unit, uint32 units)
{
	uint64 offset;
	uint64 unit_end_offset;
	uint32 first = first_of_unit(records, unit, units, &offset);
	uint32 unit_end = first_of_unit(records, unit + 1, units, &unit_end_offset);
	BlockSorter sorter;
	uint32 most_records;

	sorter_init(&sorter, records);
	most_records = Min((uint32) 1 << sorter.record_bits, BLOCK_TOKENS);
	while (first < unit_end)
	{
		uint32 end = first;
		uint32 count = 0;
		uint32 *sorted = records->other_tokens + offset;

		while (end < unit_end && end - first < most_records &&
			   records->records[end].size <= BLOCK_TOKENS - count)
			count += records->records[end++].size;
		if (end == first)
			sort_large(&sorter, &records->records[end++], sorted);
		else
			sort_block(&sorter, first, end, count, sorted);
		for (; first < end; first++)
		{
			records->records[first].offset = offset;
			offset += records->records[first].size;
		}
	}
	sorter_free(&sorter);
}

/* Gives back what arrays have room for beyond what was read. */
static void
release_reserves(JoinRecords *records)
{
	JoinHost *host = records->host;

	if (records->record_count == 0)
		return;
	records->tokens = JoinEnlarge(host, records->tokens, records->token_capacity,
								  records->token_count, sizeof(uint32));
	records->token_capacity = records->token_count;
	records->records = JoinEnlarge(host, records->records, records->record_capacity,
								   records->record_count, sizeof(JoinRecord));
	records->record_capacity = records->record_count;
}

/* Records in the order of sizes, those of one size as they came. */
static void
sort_by_size(JoinRecords *records)
{
	JoinHost *host = records->host;
	uint32 count = records->record_count;
	JoinRecord *other = JoinAllocate(host, count, sizeof(JoinRecord));
	uint32 *starts = JoinAllocate(host, 1 << MOST_DIGIT_BITS, sizeof(uint32));
	uint32 largest = 0;

	for (uint32 i = 0; i < count; i++)
		largest = Max(largest, records->records[i].size);
	for (int shift = 0; shift < 32 && largest >> shift > 0; shift += MOST_DIGIT_BITS)
	{
		uint32 mask = (1 << MOST_DIGIT_BITS) - 1;

		memset(starts, 0, (1 << MOST_DIGIT_BITS) * sizeof(uint32));
		for (uint32 i = 0; i < count; i++)
			starts[(records->records[i].size >> shift) & mask]++;
		counts_to_starts(starts, 1 << MOST_DIGIT_BITS);
		for (uint32 i = 0; i < count; i++)
		{
			JoinStrideTick(host, i);
			other[starts[(records->records[i].size >> shift) & mask]++] = records->records[i];
		}
		memcpy(records->records, other, count * sizeof(JoinRecord));
	}
	JoinRelease(host, starts, 1 << MOST_DIGIT_BITS, sizeof(uint32));
	JoinRelease(host, other, count, sizeof(JoinRecord));
}

/* A record, with its first two tokens to compare it by. */
typedef struct ContentKey
{
	uint64 first_tokens;
	JoinRecord record;
} ContentKey;

static inline int
compare_contents(const ContentKey *a, const ContentKey *b, const JoinRecords *records)
{
	const uint32 *x;
	const uint32 *y;
	uint32 i = 0;

	if (a->first_tokens != b->first_tokens)
		return a->first_tokens < b->first_tokens ? -1 : 1;
	x = JoinRecordTokens(records, &a->record);
	y = JoinRecordTokens(records, &b->record);
	while (i < a->record.size && x[i] == y[i])
		i++;
	JoinTick(records->host, i + 1);
	if (i < a->record.size)
		return x[i] < y[i] ? -1 : 1;
	return a->record.row < b->record.row ? -1 : a->record.row > b->record.row;
}

#define ST_SORT sort_contents
#define ST_ELEMENT_TYPE ContentKey
#define ST_COMPARE(a, b, records) compare_contents(a, b, records)
#define ST_COMPARE_ARG_TYPE JoinRecords
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

static void
make_keys(const JoinRecords *records, uint32 first, uint32 end, ContentKey *keys)
{
	for (uint32 i = first; i < end; i++)
	{
		const JoinRecord *record = &records->records[i];
		const uint32 *tokens = JoinRecordTokens(records, record);

		JoinTick(records->host, 1);
		keys[i - first].first_tokens =
			(uint64) tokens[0] << 32 | (record->size > 1 ? tokens[1] : 0);
		keys[i - first].record = *record;
	}
}

/* The records of one size, by content. */
static void
sort_class(JoinRecords *records, uint32 class, ContentKey *keys)
{
	uint32 first = records->class_starts[class];
	uint32 end = records->class_starts[class + 1];
	uint64 offset = records->records[first].offset;

	make_keys(records, first, end, keys);
	sort_contents(keys, end - first, records);
	for (uint32 i = first; i < end; i++)
	{
		JoinRecord *record = &records->records[i];

		*record = keys[i - first].record;
		JoinTick(records->host, record->size);
		memcpy(records->other_tokens + offset, JoinRecordTokens(records, record),
			   record->size * sizeof(uint32));
		record->offset = offset;
		offset += record->size;
	}
}

/* A unit has the sizes whose first record is in its share. */
void
JoinRecordsSortContents(JoinRecords *records, uint32 unit, uint32 units)
{
	JoinHost *host = records->host;
	uint64 offset;
	uint32 first = first_of_unit(records, unit, units, &offset);
	uint32 end = first_of_unit(records, unit + 1, units, &offset);
	uint32 largest = 0;
	ContentKey *keys;

	for (uint32 c = 0; c < records->class_count; c++)
	{
		if (records->class_starts[c] >= first && records->class_starts[c] < end)
			largest = Max(largest, records->class_starts[c + 1] - records->class_starts[c]);
	}
	keys = JoinAllocate(host, largest, sizeof(ContentKey));
	for (uint32 c = 0; c < records->class_count; c++)
	{
		JoinTick(host, 1);
		if (records->class_starts[c] >= first && records->class_starts[c] < end)
			sort_class(records, c, keys);
	}
	JoinRelease(host, keys, largest, sizeof(ContentKey));
}

static void
number_size_classes(JoinRecords *records)
{
	JoinRecord *all = records->records;
	uint32 count = 0;

	for (uint32 i = 0; i < records->record_count; i++)
	{
		count += i == 0 || all[i].size != all[i - 1].size;
		all[i].size_class = count - 1;
	}
	records->class_count = count;
	records->class_sizes = JoinAllocateShared(records->host, count, sizeof(uint32));
	records->class_starts = JoinAllocateShared(records->host, count + 1, sizeof(uint32));
	for (uint32 i = records->record_count; i > 0; i--)
	{
		records->class_sizes[all[i - 1].size_class] = all[i - 1].size;
		records->class_starts[all[i - 1].size_class] = i - 1;
	}
	records->class_starts[count] = records->record_count;
}

/* Ranks for ids; what helpers must see of the records is then shared. */
static void
rank_tokens(JoinRecords *records)
{
	JoinHost *host = records->host;

	records->distinct_tokens = records->dictionary.token_count;
	records->rank_of_id = JoinAllocateShared(host, records->distinct_tokens, sizeof(uint32));
	records->first_shared_token = TokenDictionaryRank(&records->dictionary, records->rank_of_id);
	TokenDictionaryFree(&records->dictionary);
	if (host->arena.size == 0)
		return;
	records->records = JoinShare(host, records->records, records->record_capacity,
								 records->record_count, sizeof(JoinRecord));
	records->record_capacity = records->record_count;
	records->tokens = JoinShare(host, records->tokens, records->token_capacity,
								records->token_count, sizeof(uint32));
	records->token_capacity = records->token_count;
}

static void
swap_tokens(JoinRecords *records)
{
	uint32 *swap = records->tokens;

	records->tokens = records->other_tokens;
	records->other_tokens = swap;
}

void
JoinRecordsCanonicalize(JoinRecords *records)
{
	JoinHost *host = records->host;
	uint32 units = JoinStepUnits(host, records->token_count);
	JoinWorker self = {.records = records};

	release_reserves(records);
	sort_by_size(records);
	number_size_classes(records);
	rank_tokens(records);
	records->other_tokens = JoinAllocateShared(host, records->token_count, sizeof(uint32));
	JoinStepRun(&self, JOIN_SORT_TOKENS, units);
	swap_tokens(records);
	JoinRelease(host, records->rank_of_id, records->distinct_tokens, sizeof(uint32));
	records->rank_of_id = NULL;
	JoinStepRun(&self, JOIN_SORT_CONTENTS, units);
	swap_tokens(records);
	JoinRelease(host, records->other_tokens, records->token_count, sizeof(uint32));
	records->other_tokens = NULL;
}
