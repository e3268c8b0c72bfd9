/*
 * canonical.c
 *		The canonical order: tokens as ranks, ascending within a record;
 *		records by (size, content, side, key, row), one after the other in memory.
 *
 * Sorting the tokens of each record by comparisons would cost more than the
 * join. Instead, blocks of records are sorted at once by radix, as pairs (rank,
 * record): by the digits of the rank, the least significant first, and then
 * by the record, which is where each pair's token is written to. A block is
 * small enough for the second-level cache. This happens in the order of
 * arrival, where memory is read from one end to the other; only then are
 * records put in order, and copied once. Where the processor can sort small sets in
 * its registers (rank_sort.h), only larger ones are left for the blocks.
 */
#include "c.h"

#include "port/pg_bitutils.h"
#include "join/kernel/key_runs.h"
#include "join/kernel/rank_sort.h"

/* Digits of so many bits are counted in the first-level cache. */
#define MOST_DIGIT_BITS 11

/* A rank, and in the lower bits, as many as it leaves, the record's place in its block. */
typedef uint32 BlockToken;

typedef struct BlockSorter
{
	JoinRecords *records;
	JoinHost *host;
	const uint32 *rank_of_id;
	RankSort sort_small;
	uint32 most_small; /* the largest set for sort_small; 0 if there is none */
	int record_bits;
	int digits;
	int digit_bits;
	BlockToken *from;
	BlockToken *to;
	uint32 *next;	   /* by record of the block: where its next token goes, from the first's on */
	uint32 *counts[2]; /* by value of a digit, and of the next one */
} BlockSorter;

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

/* The ranks of a block's larger records, and how many have each value of the first digit. */
static void
look_up_ranks(BlockSorter *sorter, uint32 first, uint32 end, uint32 *restrict counts)
{
	const JoinRecord *records = sorter->records->records;
	const uint32 *tokens = sorter->records->tokens;
	const uint32 *rank_of_id = sorter->rank_of_id;
	BlockToken *restrict to = sorter->from;
	uint32 *restrict next = sorter->next;
	uint32 mask = ((uint32) 1 << sorter->digit_bits) - 1;
	int record_bits = sorter->record_bits;
	uint32 filled = 0;

	for (uint32 i = first; i < end; i++)
	{
		const uint32 *ids = tokens + records[i].offset;
		uint32 size = records[i].size;

		if (size <= sorter->most_small)
			continue;
		next[i - first] = (uint32) (records[i].offset - records[first].offset);
		for (uint32 k = 0; k < size; k++)
		{
			uint32 rank = rank_of_id[ids[k]];

			counts[rank & mask]++;
			to[filled + k] = rank << record_bits | (i - first);
		}
		filled += size;
	}
}

/* Sorts by the digit above shift, and counts the values of the next. */
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

/* Writes the ranks, which are in order, to their records. */
static void
distribute(const BlockToken *restrict from, uint32 count, int record_bits, uint32 *restrict next,
		   uint32 *restrict sorted)
{
	uint32 record_mask = ((uint32) 1 << record_bits) - 1;

	for (uint32 i = 0; i < count; i++)
		sorted[next[from[i] & record_mask]++] = from[i] >> record_bits;
}

/* Returns how many tokens the others have. */
static uint32
sort_small_sets(const BlockSorter *sorter, uint32 first, uint32 end)
{
	const JoinRecords *records = sorter->records;
	uint32 larger = 0;

	for (uint32 i = first; i < end; i++)
	{
		const JoinRecord *record = &records->records[i];

		JoinTick(sorter->host, record->size);
		if (record->size > sorter->most_small)
			larger += record->size;
		else
			sorter->sort_small(sorter->rank_of_id, records->tokens + record->offset, record->size);
	}
	return larger;
}

/* The sorted ranks of the larger records of first .. end - 1, of count tokens in all. */
static void
sort_block(BlockSorter *sorter, uint32 first, uint32 end, uint32 count)
{
	JoinRecords *records = sorter->records;
	uint32 values = (uint32) 1 << sorter->digit_bits;

	memset(sorter->counts[0], 0, values * sizeof(uint32));
	look_up_ranks(sorter, first, end, sorter->counts[0]);
	for (int digit = 0; digit < sorter->digits; digit++)
	{
		uint32 *starts = sorter->counts[digit & 1];
		uint32 *next_counts = sorter->counts[(digit + 1) & 1];
		BlockToken *from = sorter->from;

		counts_to_starts(starts, values);
		memset(next_counts, 0, values * sizeof(uint32));
		sort_by_digit(from, sorter->to, count, sorter->record_bits + digit * sorter->digit_bits,
					  sorter->digit_bits, starts, next_counts);
		sorter->from = sorter->to;
		sorter->to = from;
	}
	distribute(sorter->from, count, sorter->record_bits, sorter->next,
			   records->tokens + records->records[first].offset);
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
sort_large(const BlockSorter *sorter, const JoinRecord *record)
{
	uint32 *tokens = sorter->records->tokens + record->offset;

	for (uint32 k = 0; k < record->size; k++)
	{
		JoinStrideTick(sorter->host, k);
		tokens[k] = sorter->rank_of_id[tokens[k]];
	}
	sort_ranks(tokens, record->size, sorter->host);
}

static void
sorter_init(BlockSorter *sorter, JoinRecords *records, const uint32 *rank_of_id)
{
	JoinHost *host = records->host;
	uint32 block = Min(records->token_count, RECORDS_BLOCK);
	int bits = KeyBits(records->distinct_tokens);

	sorter->records = records;
	sorter->host = host;
	sorter->rank_of_id = rank_of_id;
	sorter->sort_small = RankSortBest();
	sorter->most_small = sorter->sort_small != NULL ? RANK_SORT_MOST : 0;
	sorter->record_bits = Min(32 - bits, 16);
	sorter->digits = (bits + MOST_DIGIT_BITS - 1) / MOST_DIGIT_BITS;
	sorter->digit_bits = (bits + sorter->digits - 1) / sorter->digits;
	sorter->from = JoinAllocate(host, block, sizeof(BlockToken));
	sorter->to = JoinAllocate(host, block, sizeof(BlockToken));
	sorter->next = JoinAllocate(host, block, sizeof(uint32));
	for (int i = 0; i < 2; i++)
		sorter->counts[i] = JoinAllocate(host, 1 << sorter->digit_bits, sizeof(uint32));
}

static void
sorter_free(BlockSorter *sorter)
{
	JoinHost *host = sorter->host;
	uint32 block = Min(sorter->records->token_count, RECORDS_BLOCK);

	for (int i = 0; i < 2; i++)
		JoinRelease(host, sorter->counts[i], 1 << sorter->digit_bits, sizeof(uint32));
	JoinRelease(host, sorter->next, block, sizeof(uint32));
	JoinRelease(host, sorter->to, block, sizeof(BlockToken));
	JoinRelease(host, sorter->from, block, sizeof(BlockToken));
}

/*
 * By size and the first tokens: as many, and as many bits of the last, as the
 * key has place for.
 */
static void
make_keys(const JoinRecords *records, uint32 first, uint32 end, KeyedItem *order)
{
	int token_bits = KeyBits(records->distinct_tokens);
	int content_bits = 64 - KeyBits(records->largest);

	for (uint32 i = first; i < end; i++)
	{
		const JoinRecord *record = &records->records[i];
		const uint32 *tokens = JoinRecordTokens(records, record);
		uint64 key = record->size;
		int left = content_bits;
		uint32 k = 0;

		JoinTick(records->host, 1);
		for (; left >= token_bits; left -= token_bits, k++)
			key = key << token_bits | (k < record->size ? tokens[k] : 0);
		if (left > 0)
			key = key << left | (k < record->size ? tokens[k] >> (token_bits - left) : 0);
		order[i].key = key;
		order[i].item = i;
	}
}

/* The ranks of all records, ascending, and the keys by which the records are then ordered. */
static void
sort_tokens(JoinRecords *records, const uint32 *rank_of_id, KeyedItem *order)
{
	uint32 first = 0;
	BlockSorter sorter;
	uint32 most_records;

	sorter_init(&sorter, records, rank_of_id);
	most_records = Min((uint32) 1 << sorter.record_bits, RECORDS_BLOCK);
	while (first < records->record_count)
	{
		uint32 end = first;
		uint32 count = 0;

		while (end < records->record_count && end - first < most_records &&
			   records->records[end].size <= RECORDS_BLOCK - count)
			count += records->records[end++].size;
		if (end == first)
			sort_large(&sorter, &records->records[end++]);
		else
		{
			count = sort_small_sets(&sorter, first, end);
			if (count > 0)
				sort_block(&sorter, first, end, count);
		}
		make_keys(records, first, end, order);
		first = end;
	}
	sorter_free(&sorter);
}

/* By side, then by key where keys are compared. */
static int
compare_rows(const JoinRecords *records, uint32 a, uint32 b)
{
	const int64 *order = records->key_order;

	if (order != NULL && (a < records->first_right_row) == (b < records->first_right_row) &&
		order[a] != order[b])
		return order[a] < order[b] ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* How many first tokens are the same, of records of one size. */
static uint32
common_tokens(const JoinRecords *records, const JoinRecord *left, const JoinRecord *right)
{
	const uint32 *x = JoinRecordTokens(records, left);
	const uint32 *y = JoinRecordTokens(records, right);
	uint32 i = 0;

	while (i < left->size)
	{
		uint32 end = JoinStrideEnd(records->host, i, left->size);

		while (i < end && x[i] == y[i])
			i++;
		if (i < end)
			break;
	}
	JoinTick(records->host, i % JOIN_STRIDE);
	return i;
}

/* Between records of one size. */
static int
compare_contents(uint32 a, uint32 b, void *context)
{
	const JoinRecords *records = context;
	const JoinRecord *left = &records->records[a];
	const JoinRecord *right = &records->records[b];
	uint32 common = common_tokens(records, left, right);

	if (common < left->size)
		return JoinRecordTokens(records, left)[common] < JoinRecordTokens(records, right)[common]
				   ? -1
				   : 1;
	return compare_rows(records, left->row, right->row);
}

/*
 * The records in their order; where their tokens will be, but not yet the tokens. Where
 * those are now takes the place of the keys, of which it is kept whether they may be of
 * repeats: whether they equal those before them.
 */
static JoinRecord *
order_records(JoinRecords *records, KeyedItem *order)
{
	JoinHost *host = records->host;
	JoinRecord *ordered = JoinAllocate(host, records->record_count, sizeof(JoinRecord));
	uint64 offset = 0;
	uint64 key_before = 0;

	records->repeats = JoinAllocateZero(host, JoinRecordsBitmapWords(records), sizeof(uint64));
	for (uint32 i = 0; i < records->record_count; i++)
	{
		JoinRecord *record = &ordered[i];

		JoinStrideTick(host, i);
		if (i + RECORDS_AHEAD < records->record_count)
			__builtin_prefetch(&records->records[order[i + RECORDS_AHEAD].item]);
		if (i > 0 && order[i].key == key_before)
			records->repeats[i / 64] |= UINT64CONST(1) << (i % 64);
		key_before = order[i].key;
		*record = records->records[order[i].item];
		order[i].key = record->offset;
		record->offset = offset;
		offset += record->size;
	}
	return ordered;
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

/* The tokens of the records in their order, from where the order says that they are. */
static uint32 *
order_tokens(const JoinRecords *records, const JoinRecord *ordered, const KeyedItem *order)
{
	JoinHost *host = records->host;
	uint32 *tokens = JoinAllocate(host, records->token_count, sizeof(uint32));

	for (uint32 i = 0; i < records->record_count; i++)
	{
		const JoinRecord *record = &ordered[i];

		JoinTick(host, record->size);
		if (i + RECORDS_AHEAD < records->record_count)
			JoinAskForTokens(records->tokens + order[i + RECORDS_AHEAD].key);
		copy_tokens(host, tokens + record->offset, records->tokens + order[i].key, record->size);
	}
	return tokens;
}

/*
 * Of the records whose keys equal those before them, leaves those that repeat the one before,
 * when tokens are where neighbours are.
 */
static void
find_repeats(JoinRecords *records)
{
	const JoinRecord *all = records->records;
	uint64 *repeats = records->repeats;

	for (uint32 word = 0; word < JoinRecordsBitmapWords(records); word++)
	{
		JoinStrideTick(records->host, word);
		for (uint64 left = repeats[word]; left != 0; left &= left - 1)
		{
			int bit = pg_rightmost_one_pos64(left);
			const JoinRecord *record = &all[(uint64) word * 64 + bit];

			if (common_tokens(records, record, record - 1) < record->size)
				repeats[word] &= ~(UINT64CONST(1) << bit);
		}
	}
}

static void
number_size_classes(JoinRecords *records)
{
	JoinRecord *all = records->records;
	uint32 count = 0;

	for (uint32 i = 0; i < records->record_count; i++)
	{
		JoinStrideTick(records->host, i);
		count += i == 0 || all[i].size != all[i - 1].size;
		all[i].size_class = count - 1;
	}
	records->class_count = count;
	records->class_sizes = JoinAllocate(records->host, count, sizeof(uint32));
	records->class_starts = JoinAllocate(records->host, count + 1, sizeof(uint32));
	for (uint32 i = records->record_count; i > 0; i--)
	{
		JoinStrideTick(records->host, i);
		records->class_sizes[all[i - 1].size_class] = all[i - 1].size;
		records->class_starts[all[i - 1].size_class] = i - 1;
	}
	records->class_starts[count] = records->record_count;
}

/* Gives back what the arrays have grown to beyond their content. */
static void
finish_arrays(JoinRecords *records)
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

/* What keys are made of, while the tokens themselves are still known. */
static void
keep_values(JoinRecords *records, const uint32 *rank_of_id)
{
	const DictionaryEntry *entries = records->dictionary.entries;

	records->values = JoinAllocate(records->host, records->distinct_tokens, sizeof(uint64));
	for (uint32 id = 0; id < records->distinct_tokens; id++)
	{
		JoinStrideTick(records->host, id);
		records->values[rank_of_id[id]] = BucketTokenValue(records->buckets, entries[id].token);
	}
}

/* The rank of each id. */
static uint32 *
rank_tokens(JoinRecords *records)
{
	uint32 *rank_of_id;

	records->distinct_tokens = records->dictionary.token_count;
	rank_of_id = JoinAllocate(records->host, records->distinct_tokens, sizeof(uint32));
	records->first_shared_token = TokenDictionaryRank(&records->dictionary, rank_of_id);
	if (records->buckets != NULL)
		keep_values(records, rank_of_id);
	TokenDictionaryFree(&records->dictionary);
	return rank_of_id;
}

void
JoinRecordsCanonicalize(JoinRecords *records)
{
	JoinHost *host = records->host;
	uint32 count = records->record_count;
	uint32 *rank_of_id;
	KeyedItem *order;
	JoinRecord *ordered;
	uint32 *tokens;

	JoinRecordsNumber(records);
	finish_arrays(records);
	rank_of_id = rank_tokens(records);
	order = JoinAllocate(host, count, sizeof(KeyedItem));
	sort_tokens(records, rank_of_id, order);
	JoinRelease(host, rank_of_id, records->distinct_tokens, sizeof(uint32));

	KeySort(order, count, compare_contents, records, host);
	ordered = order_records(records, order);
	tokens = order_tokens(records, ordered, order);
	JoinRelease(host, order, count, sizeof(KeyedItem));
	JoinRelease(host, records->records, records->record_capacity, sizeof(JoinRecord));
	JoinRelease(host, records->tokens, records->token_capacity, sizeof(uint32));
	records->records = ordered;
	records->tokens = tokens;
	find_repeats(records);
	number_size_classes(records);
	JoinNumberKeyRuns(records);
}
